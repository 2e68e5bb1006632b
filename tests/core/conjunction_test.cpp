// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/conjunction.hpp>

#include "../support/print.hpp"

#include <optional>
#include <string>
#include <utility>

namespace conjunction_test {

using schedpol::Labels;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::detail::can_match_a_node;
using schedpol::detail::excludes;
using schedpol::detail::to_conjunction;
using schedpol::detail::to_labels;
using NodeOp = schedpol::NodeSelectorOperator;

NodeSelectorRequirement in(std::string key, std::string value) {
  return {.key = std::move(key), .operator_ = NodeOp::in, .values = {std::move(value)}};
}

TEST_CASE("a node meets a term together with a node selector where no pair excludes it") {
  struct Case {
    const char* name;
    NodeSelectorTerm term;
    Labels node_selector;
    bool can;
  };
  const NodeSelectorRequirement malformed{.key = "pool", .operator_ = NodeOp::gt, .values = {"x"}};
  const Case cases[] = {
      {"no pair", {.match_expressions = {in("pool", "a")}}, {}, true},
      {"the value of the pair", {.match_expressions = {in("pool", "a")}}, {{"pool", "a"}}, true},
      {"another value", {.match_expressions = {in("pool", "a")}}, {{"pool", "b"}}, false},
      {"a pair of another key", {.match_expressions = {in("pool", "a")}}, {{"disk", "b"}}, true},
      {"the second expression",
       {.match_expressions = {in("disk", "b"), in("pool", "a")}},
       {{"disk", "b"}, {"pool", "b"}},
       false},
      {"expressions that exclude each other",
       {.match_expressions = {in("pool", "a"), in("pool", "b")}},
       {},
       false},
      {"a field, which is about no label",
       {.match_fields = {in("metadata.name", "n")}},
       {{"metadata.name", "m"}},
       true},
      {"an empty term", {}, {}, false},
      {"a malformed expression", {.match_expressions = {malformed}}, {}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(can_match_a_node(c.term, c.node_selector) == c.can);
  }
}

TEST_CASE("an expression excludes the values that it does not hold for, a malformed one all") {
  CHECK(!excludes(in("pool", "a"), "a"));
  CHECK(excludes(in("pool", "a"), "b"));
  CHECK(excludes({.key = "pool", .operator_ = NodeOp::gt, .values = {"x"}}, "1"));
  CHECK(!excludes({.key = "pool", .operator_ = NodeOp::gt, .values = {"0"}}, "1"));
}

TEST_CASE("labels for a conjunction are found where there are any, next to a bound too") {
  const auto bound = [](NodeOp operator_, std::string value) {
    return NodeSelectorRequirement{
        .key = "cores", .operator_ = operator_, .values = {std::move(value)}};
  };
  struct Case {
    const char* name;
    NodeSelectorTerm term;
    std::optional<Labels> labels;
  };
  const Case cases[] = {
      {"less than", {.match_expressions = {bound(NodeOp::lt, "5")}}, Labels{{"cores", "4"}}},
      {"less than all that are counted", {.match_expressions = {bound(NodeOp::lt, "0")}}, {}},
      {"greater than", {.match_expressions = {bound(NodeOp::gt, "5")}}, Labels{{"cores", "6"}}},
      {"greater than what no label can have", {.match_expressions = {bound(NodeOp::gt, "-7")}}, {}},
      {"between",
       {.match_expressions = {bound(NodeOp::gt, "5"), bound(NodeOp::lt, "7")}},
       Labels{{"cores", "6"}}},
      {"between, where nothing is",
       {.match_expressions = {bound(NodeOp::gt, "5"), bound(NodeOp::lt, "6")}},
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::optional<Labels> labels = to_labels(to_conjunction(c.term));
    REQUIRE(labels.has_value() == c.labels.has_value());
    if (labels) CHECK(*labels == *c.labels);
  }
}

}  // namespace conjunction_test
