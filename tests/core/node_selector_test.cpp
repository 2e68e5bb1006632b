// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/node_selector.hpp>

#include "../support/print.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace node_selector_test {

using schedpol::is_empty;
using schedpol::NodeSelector;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::OpenEnum;
using schedpol::Texts;
using schedpol::to_string;
using Op = schedpol::NodeSelectorOperator;
using OpenOp = OpenEnum<Op>;
using Requirements = std::vector<NodeSelectorRequirement>;

static_assert(std::is_aggregate_v<NodeSelectorRequirement>);
static_assert(std::is_nothrow_move_constructible_v<NodeSelectorRequirement>);
static_assert(std::equality_comparable<NodeSelectorRequirement>);
static_assert(std::is_aggregate_v<NodeSelectorTerm>);
static_assert(std::is_nothrow_move_constructible_v<NodeSelectorTerm>);
static_assert(std::equality_comparable<NodeSelectorTerm>);
static_assert(std::is_aggregate_v<NodeSelector>);
static_assert(std::is_nothrow_move_constructible_v<NodeSelector>);
static_assert(std::equality_comparable<NodeSelector>);
static_assert(noexcept(is_empty(NodeSelectorTerm())));

/// Requirements that differ only where their texts could be confused.
Requirements universe() {
  const std::vector<std::string> keys = {"", "a", "field", "field a", "a In", "a [b]", "(", "\\"};
  const std::vector<OpenOp> operators = {{},          Op::in,           Op::exists,   Op::gt,
                                         OpenOp("a"), OpenOp("In [b]"), OpenOp(" & ")};
  const std::vector<Texts> lists = {
      {}, {""}, {"b"}, {"b", "c"}, {"b, c"}, {"", ""}, {"] & a In [b"}, {")"}, {"\\"}};
  Requirements requirements;
  for (const auto& key : keys) {
    for (const auto& operator_ : operators) {
      for (const auto& values : lists) requirements.push_back({key, operator_, values});
    }
  }
  return requirements;
}

TEST_CASE("a term is empty when it has neither expressions nor fields") {
  struct Case {
    std::string name;
    NodeSelectorTerm term;
    bool empty;
  };
  const Case cases[] = {
      {"nothing", {}, true},
      {"an expression", {{{"disk", Op::exists, {}}}, {}}, false},
      {"a field", {{}, {{"metadata.name", Op::in, {"node-1"}}}}, false},
      {"an expression without content", {{{}}, {}}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(is_empty(c.term) == c.empty);
  }
}

TEST_CASE("a requirement is shown on one line") {
  struct Case {
    std::string name;
    NodeSelectorRequirement requirement;
    std::string text;
  };
  const Case cases[] = {
      {"In", {"disk", Op::in, {"ssd", "nvme"}}, "disk In [ssd, nvme]"},
      {"NotIn", {"disk", Op::not_in, {"hdd"}}, "disk NotIn [hdd]"},
      {"Exists", {"gpu", Op::exists, {}}, "gpu Exists"},
      {"DoesNotExist", {"gpu", Op::does_not_exist, {}}, "gpu DoesNotExist"},
      {"Gt", {"cores", Op::gt, {"4"}}, "cores Gt [4]"},
      {"Lt", {"cores", Op::lt, {"4"}}, "cores Lt [4]"},
      {"one empty value", {"disk", Op::in, {""}}, "disk In []"},
      {"an unknown operator", {"disk", OpenOp("Like"), {"s*"}}, "disk Like [s*]"},
      {"separators inside", {"a b", Op::in, {"c,d", "[e]"}}, "a\\ b In [c\\,d, \\[e\\]]"},
      {"nothing", {}, " "},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(to_string(c.requirement) == c.text);
  }
}

TEST_CASE("a term is shown on one line, fields after expressions") {
  CHECK(to_string(NodeSelectorTerm{}) == "()");
  CHECK(to_string(NodeSelectorTerm{{{}, {}}, {}}) == "(  &  )");
  CHECK(to_string(NodeSelectorTerm{{{}}, {{}}}) == "(  & field  )");
  CHECK(to_string(NodeSelectorTerm{{}, {{"metadata.name", Op::in, {"a"}}}}) ==
        "(field metadata.name In [a])");
  const NodeSelectorTerm term = {{{"disk", Op::in, {"ssd"}}, {"gpu", Op::exists, {}}},
                                 {{"metadata.name", Op::in, {"node-1"}}}};
  CHECK(to_string(term) == "(disk In [ssd] & gpu Exists & field metadata.name In [node-1])");
}

TEST_CASE("different requirements have different texts") {
  const Requirements requirements = universe();
  std::map<std::string, const NodeSelectorRequirement*> by_text;
  for (const auto& requirement : requirements) {
    const auto [it, inserted] = by_text.emplace(to_string(requirement), &requirement);
    CAPTURE(it->first);
    CHECK(inserted);
  }
  CHECK(by_text.size() == requirements.size());
}

TEST_CASE("different terms have different texts") {
  const Requirements requirements = universe();
  std::vector<NodeSelectorTerm> terms = {{}};
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const auto& first = requirements[i];
    const auto& second = requirements[(i * 11) % requirements.size()];
    terms.push_back({{first}, {}});
    terms.push_back({{}, {first}});
    terms.push_back({{first}, {second}});
    terms.push_back({{first, second}, {}});
    terms.push_back({{}, {first, second}});
  }
  std::map<std::string, const NodeSelectorTerm*> term_of;
  for (const auto& term : terms) {
    const auto [it, inserted] = term_of.emplace(to_string(term), &term);
    CAPTURE(it->first);
    CHECK((*it->second == term));
  }
}

TEST_CASE("requirements are equal when key, operator and values in their order are") {
  const NodeSelectorRequirement requirement{"disk", Op::in, {"a", "b"}};
  CHECK((requirement == NodeSelectorRequirement{"disk", OpenOp("In"), {"a", "b"}}));
  CHECK((requirement != NodeSelectorRequirement{"disks", Op::in, {"a", "b"}}));
  CHECK((requirement != NodeSelectorRequirement{"disk", Op::not_in, {"a", "b"}}));
  CHECK((requirement != NodeSelectorRequirement{"disk", Op::in, {"b", "a"}}));
  CHECK((requirement != NodeSelectorRequirement{"disk", Op::in, {"a"}}));
}

}  // namespace node_selector_test
