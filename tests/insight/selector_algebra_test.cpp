// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/selector_algebra.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/limits.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace selector_algebra_test {

using schedpol::Implication;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorRequirement;
using schedpol::Node;
using schedpol::NodeSelector;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::NodeTermsMatcher;
using schedpol::Texts;
using schedpol::testing::Random;
using LabelOp = schedpol::LabelSelectorOperator;
using NodeOp = schedpol::NodeSelectorOperator;

/// A value of each sort that the selectors below tell apart, and no label at all. They list the
/// first few: of each number that they bound on both sides there is a spelling that none lists.
const std::vector<std::optional<std::string>> values = {
    std::nullopt, "", "x", "y", "0", "1", "01", "2", "3", "4", "9", "00", "001", "02"};

std::vector<Labels> all_labels() {
  std::vector<Labels> all;
  for (const auto& a : values) {
    for (const auto& b : values) {
      Labels& labels = all.emplace_back();
      if (a) labels["a"] = *a;
      if (b) labels["b"] = *b;
    }
  }
  return all;
}

std::vector<Node> all_nodes() {
  std::vector<Node> all;
  for (const Labels& labels : all_labels())
    for (const char* name : {"n", "m", "o"}) {
      Node& node = all.emplace_back();
      node.metadata.name = name;
      node.metadata.labels = labels;
    }
  return all;
}

std::string key(Random& random) {
  return random.chance(60) ? "a" : "b";
}

Texts some_values(Random& random) {
  Texts listed;
  for (std::size_t i = 1 + random.below(3); i > 0; --i)
    listed.push_back(*values[1 + random.below(8)]);
  return listed;
}

std::optional<LabelSelector> label_selector(Random& random) {
  if (random.chance(5)) return std::nullopt;
  LabelSelector selector;
  if (random.chance(40)) selector.match_labels[key(random)] = *values[1 + random.below(8)];
  for (std::size_t i = random.below(3); i > 0; --i) {
    const auto word = static_cast<LabelOp>(1 + random.below(4));
    LabelSelectorRequirement requirement{key(random), word, {}};
    if (word == LabelOp::in || word == LabelOp::not_in || random.chance(3))
      requirement.values = some_values(random);
    selector.match_expressions.push_back(requirement);
  }
  return selector;
}

NodeSelector node_selector(Random& random, std::size_t most) {
  NodeSelector selector;
  for (std::size_t i = random.below(most + 1); i > 0; --i) {
    NodeSelectorTerm& term = selector.node_selector_terms.emplace_back();
    for (std::size_t j = random.below(4); j > 0; --j) {
      const auto word = static_cast<NodeOp>(1 + random.below(random.chance(3) ? 7 : 6));
      NodeSelectorRequirement requirement{key(random), word, {}};
      if (word == NodeOp::in || word == NodeOp::not_in) requirement.values = some_values(random);
      if (word == NodeOp::gt || word == NodeOp::lt)
        requirement.values = {std::to_string(static_cast<int>(random.below(5)) - 1)};
      if (requirement.values == Texts{"-1"}) requirement.values = {"2"};
      term.match_expressions.push_back(requirement);
    }
    if (random.chance(25))
      term.match_fields.push_back({"metadata.name",
                                   random.chance(50) ? NodeOp::in : NodeOp::not_in,
                                   {random.chance(50) ? "n" : "m"}});
  }
  return selector;
}

bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
  const auto matcher = schedpol::compile(selector);
  return matcher && matcher->matches(labels);
}

NodeTermsMatcher matcher(const NodeSelector& selector) {
  return NodeTermsMatcher(selector.node_selector_terms);
}

Implication implication(bool holds) {
  return holds ? Implication::holds : Implication::fails;
}

TEST_CASE("label selectors are what they select") {
  Random random(1);
  const std::vector<Labels> all = all_labels();
  int implied = 0;
  for (int i = 0; i < schedpol::testing::times(300); ++i) {
    const auto a = label_selector(random);
    const auto b = label_selector(random);
    CAPTURE(a);
    CAPTURE(b);
    const auto both = intersect(a, b);
    const auto of_a = schedpol::compile(a);
    const auto of_b = schedpol::compile(b);
    const auto of_both = schedpol::compile(both);
    REQUIRE(of_both);
    bool any = false;
    bool within = true;
    bool around = true;
    for (const Labels& labels : all) {
      const bool in_a = of_a && of_a->matches(labels);
      const bool in_b = of_b && of_b->matches(labels);
      any |= in_a;
      within &= !in_a || in_b;
      around &= in_a || !in_b;
      REQUIRE(of_both->matches(labels) == (in_a && in_b));
    }
    implied += any && within;
    REQUIRE(implies(a, b) == within);
    REQUIRE(equivalent(a, b) == (within && around));
    const auto labels = witness(a);
    REQUIRE(labels.has_value() == any);
    if (labels) REQUIRE(selects(a, *labels));
  }
  CHECK(implied > 20);
}

TEST_CASE("node selectors are what they match") {
  Random random(2);
  const std::vector<Node> all = all_nodes();
  int implied = 0;
  for (int i = 0; i < schedpol::testing::times(150); ++i) {
    const NodeSelector a = node_selector(random, 2);
    const NodeSelector b = node_selector(random, 4);
    const auto both = intersect(a, b);
    REQUIRE(both);
    const NodeTermsMatcher of_a = matcher(a);
    const NodeTermsMatcher of_b = matcher(b);
    const NodeTermsMatcher of_both = matcher(*both);
    bool any = false;
    bool within = true;
    bool around = true;
    for (const Node& node : all) {
      const bool in_a = of_a.matches(node);
      const bool in_b = of_b.matches(node);
      any |= in_a;
      within &= !in_a || in_b;
      around &= in_a || !in_b;
      REQUIRE(of_both.matches(node) == (in_a && in_b));
    }
    implied += any && within;
    CAPTURE(a.node_selector_terms);
    CAPTURE(b.node_selector_terms);
    REQUIRE(implies(a, b) == implication(within));
    REQUIRE(equivalent(a, b) == implication(within && around));
    const auto node = witness(a);
    REQUIRE(node.has_value() == any);
    if (node) REQUIRE(of_a.matches(*node));
  }
  CHECK(implied > 5);
}

TEST_CASE("what a selector can match, at the edges of what labels can be") {
  const auto with = [](std::vector<NodeSelectorRequirement> list) {
    return NodeSelector{{{.match_expressions = std::move(list)}}};
  };
  CHECK_FALSE(witness(with({{"k", NodeOp::lt, {"0"}}})));
  CHECK(witness(with({{"k", NodeOp::gt, {"9223372036854775806"}}})));
  CHECK_FALSE(witness(with({{"k", NodeOp::gt, {"9223372036854775807"}}})));
  CHECK_FALSE(witness(with({{"k", NodeOp::gt, {"1"}}, {"k", NodeOp::lt, {"2"}}})));
  CHECK(witness(with({{"k", NodeOp::gt, {"1"}}, {"k", NodeOp::lt, {"3"}}})));
  // A number has more than one spelling, and those are not without end.
  CHECK(witness(
      with({{"k", NodeOp::gt, {"1"}}, {"k", NodeOp::lt, {"3"}}, {"k", NodeOp::not_in, {"2"}}})));
  Texts twos;
  Texts shorter;
  Texts all_but_one;
  for (std::string two = "2"; two.size() <= schedpol::max_label_value_bytes; two.insert(0, "0")) {
    twos.push_back(two);
    if (two.size() < schedpol::max_label_value_bytes) shorter.push_back(two);
    if (two.size() + 1 != schedpol::max_label_value_bytes) all_but_one.push_back(two);
  }
  const auto between = [&](const char* above, const char* below, const Texts& none_of) {
    return with(
        {{"k", NodeOp::gt, {above}}, {"k", NodeOp::lt, {below}}, {"k", NodeOp::not_in, none_of}});
  };
  CHECK_FALSE(witness(between("1", "3", twos)));
  CHECK(witness(between("1", "5", twos)));
  CHECK(witness(between("1", "3", shorter)));
  CHECK(witness(between("1", "3", all_but_one)));
  CHECK_FALSE(witness(with({{"k", NodeOp::in, {"c"}},
                            {"k", NodeOp::not_in, {"a"}},
                            {"k", NodeOp::not_in, {"b", "c"}}})));
  // What only a number between two bounds tells apart, where the first of them may be listed.
  const NodeSelector in_x = with({{"k", NodeOp::in, {"x"}}});
  CHECK(implies(with({{"k", NodeOp::gt, {"1"}}, {"k", NodeOp::lt, {"3"}}}), in_x) ==
        Implication::fails);
  CHECK(implies(between("1", "5", twos), in_x) == Implication::fails);
  Texts zeros;
  for (std::string zero = "0"; zero.size() <= schedpol::max_label_value_bytes; zero += '0')
    zeros.push_back(zero);
  CHECK(implies(with({{"k", NodeOp::lt, {"1"}}}), with({{"k", NodeOp::in, zeros}})) ==
        Implication::holds);
  // A node always has a name.
  const auto named = [](std::vector<NodeSelectorRequirement> list) {
    return NodeSelector{{{.match_fields = std::move(list)}}};
  };
  const NodeSelectorRequirement no_m = {"metadata.name", NodeOp::not_in, {"m"}};
  const NodeSelectorRequirement no_n = {"metadata.name", NodeOp::not_in, {"n"}};
  const auto other = witness(named({no_m}));
  REQUIRE(other);
  CHECK_FALSE(other->metadata.name.empty());
  CHECK_FALSE(witness(named({{"metadata.name", NodeOp::in, {"n"}}, no_m, no_n})));
  CHECK_FALSE(witness(NodeSelector{}));
  CHECK_FALSE(witness(NodeSelector{{{}}}));
  CHECK(witness(LabelSelector{}) == Labels{});
  CHECK_FALSE(witness(std::optional<LabelSelector>()));
}

TEST_CASE("many expressions on one key take as long as many on different keys") {
  constexpr int many = 20'000;  // were each held against the values of all, this would take minutes
  const auto text = [](int number) { return std::to_string(number); };
  NodeSelectorTerm not_in;
  NodeSelectorTerm in;
  NodeSelectorTerm between;
  NodeSelectorTerm names;
  Texts all;
  for (int i = 0; i < many; ++i) all.push_back(text(i));
  in.match_expressions = {{"k", NodeOp::in, all}};
  for (int i = 0; i < many; ++i) {
    not_in.match_expressions.push_back({"k", NodeOp::not_in, {text(i)}});
    if (i != 7) in.match_expressions.push_back({"k", NodeOp::not_in, {text(i)}});
    between.match_expressions.push_back({"k", NodeOp::gt, {text(i)}});
    between.match_expressions.push_back({"k", NodeOp::lt, {text(2 * many - i)}});
    names.match_fields.push_back({"metadata.name", NodeOp::not_in, {"n" + text(i)}});
  }
  between.match_expressions.push_back({"k", NodeOp::exists, {}});
  not_in.match_expressions.push_back({"k", NodeOp::exists, {}});
  const auto value = [](const NodeSelectorTerm& term) {
    const std::optional<Node> node = witness(NodeSelector{{term}});
    REQUIRE(node);
    return node->metadata.labels.empty() ? node->metadata.name
                                         : node->metadata.labels.begin()->second;
  };
  CHECK(value(not_in) == "other");
  CHECK(value(in) == "7");
  CHECK(value(between) == text(many));
  CHECK(value(names) == "other");
  in.match_expressions.push_back({"k", NodeOp::in, {"1", "7", "8"}});
  CHECK(value(in) == "7");
  in.match_expressions.push_back({"k", NodeOp::in, {"1", "8"}});
  CHECK_FALSE(witness(NodeSelector{{in}}));
  between.match_expressions.push_back({"k", NodeOp::gt, {text(many)}});
  CHECK_FALSE(witness(NodeSelector{{between}}));
  not_in.match_expressions.push_back({"k", NodeOp::does_not_exist, {}});
  CHECK_FALSE(witness(NodeSelector{{not_in}}));
}

TEST_CASE("a selector implies another when each of its terms does") {
  const NodeSelectorTerm k{.match_expressions = {{"k", NodeOp::exists, {}}}};
  const NodeSelectorTerm l{.match_expressions = {{"l", NodeOp::exists, {}}}};
  CHECK(implies(NodeSelector{{k, l}}, NodeSelector{{k}}) == Implication::fails);
  CHECK(implies(NodeSelector{{l, k}}, NodeSelector{{k}}) == Implication::fails);
  CHECK(implies(NodeSelector{{k}}, NodeSelector{{l, k}}) == Implication::holds);
}

TEST_CASE("what is in both is written with all that each of them asks for") {
  const LabelSelector a{.match_labels = {{"a", "1"}}};
  const LabelSelector b{.match_labels = {{"b", "2"}, {"c", "3"}}};
  const Labels all = {{"a", "1"}, {"b", "2"}, {"c", "3"}};
  CHECK((*intersect(a, b)).match_labels == all);
  CHECK((*intersect(b, a)).match_labels == all);
  // Without the terms that no node matches.
  const auto in = [](const char* value) {
    return NodeSelector{{{.match_expressions = {{"k", NodeOp::in, {value}}}}}};
  };
  CHECK((*intersect(in("x"), in("y"))).node_selector_terms.empty());
  CHECK((*intersect(in("x"), in("x"))).node_selector_terms.size() == 1);
}

TEST_CASE("a number that is a bound may be written in another way") {
  const auto with = [](NodeSelectorRequirement expression) {
    return NodeSelectorTerm{.match_expressions = {std::move(expression)}};
  };
  const NodeSelector all{{with({"k", NodeOp::lt, {"3"}})}};
  const NodeSelectorTerm above = with({"k", NodeOp::gt, {"1"}});
  const NodeSelectorTerm below = with({"k", NodeOp::lt, {"1"}});
  CHECK(implies(all, NodeSelector{{above, below, with({"k", NodeOp::in, {"1"}})}}) ==
        Implication::fails);
}

TEST_CASE("an empty term widens nothing, and too many terms are an error") {
  NodeSelector many;
  for (int i = 0; i < 33; ++i)
    many.node_selector_terms.push_back(
        {.match_expressions = {{"k" + std::to_string(i), NodeOp::exists, {}}}});
  CHECK((*intersect(many, NodeSelector{{{}}})).node_selector_terms.empty());
  NodeSelector others;
  for (int i = 0; i < 32; ++i)
    others.node_selector_terms.push_back(
        {.match_expressions = {{"l" + std::to_string(i), NodeOp::exists, {}}}});
  const auto too_many = intersect(many, others);
  REQUIRE_FALSE(too_many);
  CHECK(message(too_many.errors().front()) ==
        "`nodeSelectorTerms`: too many: must have at most 1024 terms");
  many.node_selector_terms.pop_back();
  CHECK((*intersect(many, others)).node_selector_terms.size() == 1024);
}

TEST_CASE("the search for a node that tells two selectors apart is given up") {
  NodeSelector a{{{.match_expressions = {{"z", NodeOp::exists, {}}}}}};
  NodeSelector b;  // of each pair one holds, but that takes all combinations to find out
  for (int i = 0; i < 40; ++i) {
    NodeSelectorTerm& term = b.node_selector_terms.emplace_back();
    for (int j = 0; j < 3; ++j)
      term.match_expressions.push_back({"k" + std::to_string((i * 7 + j * 11) % 20),
                                        (i * j) % 2 == 0 ? NodeOp::exists : NodeOp::does_not_exist,
                                        {}});
  }
  for (int i = 0; i < 20; ++i) {
    b.node_selector_terms.push_back(
        {.match_expressions = {{"p" + std::to_string(i), NodeOp::exists, {}},
                               {"q" + std::to_string(i), NodeOp::exists, {}}}});
  }
  b.node_selector_terms.push_back({.match_expressions = {{"r", NodeOp::exists, {}}}});
  b.node_selector_terms.push_back({.match_expressions = {{"r", NodeOp::does_not_exist, {}}}});
  CHECK(implies(a, b) == Implication::unknown);
  CHECK(implies(b, b) == Implication::holds);
  NodeSelector within_a = b;
  for (NodeSelectorTerm& term : within_a.node_selector_terms)
    term.match_expressions.push_back({"z", NodeOp::exists, {}});
  CHECK(implies(within_a, a) == Implication::holds);
  CHECK(equivalent(within_a, a) == Implication::unknown);
  CHECK(equivalent(a, within_a) == Implication::unknown);
  // Where the other way fails it does not matter.
  b.node_selector_terms.push_back({.match_expressions = {{"other", NodeOp::exists, {}}}});
  REQUIRE(implies(a, b) == Implication::unknown);
  REQUIRE(implies(b, a) == Implication::fails);
  CHECK(equivalent(a, b) == Implication::fails);
  CHECK(equivalent(b, a) == Implication::fails);
}

}  // namespace selector_algebra_test
