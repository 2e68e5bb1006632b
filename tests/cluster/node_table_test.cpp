// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/node_table.hpp>

#include "node_questions.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace node_table_test {

using namespace node_questions;

using schedpol::Affinity;
using schedpol::NodeSelector;
using schedpol::NodeTermsMatcher;
using schedpol::PreferredSchedulingTerm;
using schedpol::testing::CountAllocations;
using Terms = std::vector<NodeSelectorTerm>;
using Effects = std::span<const TaintEffect>;

static_assert(std::is_copy_constructible_v<NodeTable>);
static_assert(std::is_nothrow_move_constructible_v<NodeTable>);
static_assert(std::is_nothrow_move_assignable_v<NodeTable>);
static_assert(!std::is_convertible_v<std::span<const Node>, NodeTable>);
static_assert(noexcept(schedpol::tolerates_all({}, std::span<const Taint>())));

NodeSelectorRequirement requirement(std::string key, OpenOp operator_, Texts values = {}) {
  return {.key = std::move(key), .operator_ = std::move(operator_), .values = std::move(values)};
}

NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions,
                      std::vector<NodeSelectorRequirement> fields = {}) {
  return {.match_expressions = std::move(expressions), .match_fields = std::move(fields)};
}

PodSpec requiring(Terms terms) {
  return {.affinity = Affinity{.node_affinity = NodeAffinity{
                                   .required_during_scheduling_ignored_during_execution =
                                       NodeSelector{.node_selector_terms = std::move(terms)}}}};
}

/// The numbers of the nodes for which `holds`.
template <class Holds>
Numbers numbers_where(const std::vector<Node>& nodes, Holds holds) {
  Numbers numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (holds(nodes[i])) numbers.push_back(i);
  }
  return numbers;
}

/// So many copies of the nodes, one list after the other.
std::vector<Node> repeated(const std::vector<Node>& nodes, std::size_t times) {
  std::vector<Node> all;
  for (; times > 0; --times) all.insert(all.end(), nodes.begin(), nodes.end());
  return all;
}

Numbers repeated(const Numbers& numbers, std::size_t nodes, std::size_t times) {
  Numbers all;
  for (std::size_t i = 0; i < times; ++i) {
    for (const std::size_t number : numbers) all.push_back(i * nodes + number);
  }
  return all;
}

bool tolerated(const std::vector<Toleration>& tolerations, const Node& node, Effects effects) {
  const auto untolerated = find_untolerated(tolerations, node.spec.taints);
  return std::none_of(untolerated.begin(), untolerated.end(), [&](const Taint& taint) {
    return std::find(effects.begin(), effects.end(), taint.effect.word()) != effects.end();
  });
}

PodSpec cloud_pod() {
  PodSpec spec = requiring({
      term({requirement("kubernetes.io/arch", Op::in, {"amd64", "arm64"}),
            requirement("topology.kubernetes.io/zone", Op::in, {"eu-west-1a", "eu-west-1b"})}),
      term(
          {requirement("disk", Op::in, {"ssd"}), requirement("node-pool", Op::not_in, {"legacy"})}),
  });
  spec.node_selector = {{"kubernetes.io/arch", "amd64"},
                        {"disk", "ssd"},
                        {"topology.kubernetes.io/zone", "eu-west-1a"}};
  spec.tolerations = {{.key = "dedicated",
                       .operator_ = TolerationOperator::equal,
                       .value = "gpu",
                       .effect = TaintEffect::no_schedule},
                      {.key = "spot",
                       .operator_ = TolerationOperator::equal,
                       .value = "true",
                       .effect = TaintEffect::prefer_no_schedule},
                      {.key = "node.kubernetes.io/memory-pressure",
                       .operator_ = TolerationOperator::exists,
                       .effect = TaintEffect::no_execute}};
  return spec;
}

const LabelSelector cloud_selector = {
    .match_labels = {{"kubernetes.io/os", "linux"}},
    .match_expressions = {{"node-pool", LabelSelectorOperator::not_in, {"legacy"}}}};

TEST_CASE("a table answers for every node what the matchers answer for the node alone") {
  // Answers that are the same for all nodes would show little.
  struct Telling {
    std::size_t selectors = 0, affinities = 0, taints = 0, scores = 0;
  } telling;
  const auto tells = [](const Numbers& numbers, const std::vector<Node>& nodes) {
    return !numbers.empty() && numbers.size() < nodes.size();
  };
  constexpr std::uint32_t pairs = schedpol::testing::tries(2000);
  for (std::uint32_t seed = 0; seed < pairs; ++seed) {
    CAPTURE(seed);
    Questions questions(seed);
    const std::vector<Node> nodes = questions.nodes();
    const NodeTable table(nodes);
    CHECK(table.size() == nodes.size());

    const auto selector = compile(questions.selector());
    REQUIRE(selector);
    const Numbers selected =
        numbers_where(nodes, [&](const Node& n) { return selector->matches(n.metadata.labels); });
    CHECK(numbers(table.matching(*selector)) == selected);
    telling.selectors += tells(selected, nodes);

    const PodSpec pod = questions.pod();
    const NodeAffinityMatcher affinity(pod);
    const Numbers attracted =
        numbers_where(nodes, [&](const Node& n) { return affinity.matches(n); });
    CHECK(numbers(table.matching(affinity)) == attracted);
    telling.affinities += tells(attracted, nodes);

    Scores scores;
    for (const Node& n : nodes) scores.push_back(affinity.score(n));
    CHECK(table.scores(affinity) == scores);
    telling.scores +=
        std::adjacent_find(scores.begin(), scores.end(), std::not_equal_to<>()) != scores.end();

    const std::vector<TaintEffect> effects = questions.effects();
    for (const Effects counting : {Effects(effects), Effects(schedpol::repelling_effects)}) {
      const Numbers admitted = numbers_where(
          nodes, [&](const Node& n) { return tolerated(pod.tolerations, n, counting); });
      CHECK(numbers(table.tolerated_by(pod.tolerations, counting)) == admitted);
      CHECK(numbers_where(nodes, [&](const Node& n) {
              return tolerates_all(pod.tolerations, n, counting);
            }) == admitted);
      telling.taints += tells(admitted, nodes);
    }
    CHECK(table.tolerated_by(pod.tolerations) ==
          table.tolerated_by(pod.tolerations, schedpol::repelling_effects));
  }
  CHECK(telling.selectors > pairs / 5);
  CHECK(telling.affinities > pairs / 5);
  CHECK(telling.scores > pairs / 5);
  CHECK(telling.taints > pairs / 5);
}

TEST_CASE("a requirement holds for nodes by their label, in small and in large clusters") {
  // 0: one, 1: two, 2: minus three, 3: no number, 4: an empty value, 5: no label, 6: no labels
  const std::vector<Node> nodes = {node({{"n", "1"}, {"zone", "a"}}),
                                   node({{"n", "2"}}),
                                   node({{"n", "-3"}, {"zone", "a"}}),
                                   node({{"n", "x"}}),
                                   node({{"n", ""}}),
                                   node({{"zone", "b"}}),
                                   node({})};
  const Numbers none = {};
  struct Case {
    std::string name;
    NodeSelectorTerm term;
    Numbers matching;
  };
  const Case cases[] = {
      {"In one value", term({requirement("n", Op::in, {"1"})}), {0}},
      {"In several, some of no node", term({requirement("n", Op::in, {"x", "y", "1"})}), {0, 3}},
      {"In the same value twice", term({requirement("n", Op::in, {"2", "2"})}), {1}},
      {"In the empty value", term({requirement("n", Op::in, {""})}), {4}},
      {"In, a key of no node", term({requirement("m", Op::in, {"1"})}), none},
      {"In without values", term({requirement("n", Op::in)}), none},
      {"In a value that is none", term({requirement("n", Op::in, {"1", "-"})}), none},
      {"NotIn", term({requirement("n", Op::not_in, {"1", "x"})}), {1, 2, 4, 5, 6}},
      {"NotIn the empty value", term({requirement("n", Op::not_in, {""})}), {0, 1, 2, 3, 5, 6}},
      {"NotIn, a value of no node",
       term({requirement("n", Op::not_in, {"y"})}),
       {0, 1, 2, 3, 4, 5, 6}},
      {"NotIn, a key of no node",
       term({requirement("m", Op::not_in, {"1"})}),
       {0, 1, 2, 3, 4, 5, 6}},
      {"Exists", term({requirement("n", Op::exists)}), {0, 1, 2, 3, 4}},
      {"Exists, a key of no node", term({requirement("m", Op::exists)}), none},
      {"Exists with values", term({requirement("n", Op::exists, {"1"})}), none},
      {"DoesNotExist", term({requirement("n", Op::does_not_exist)}), {5, 6}},
      {"DoesNotExist, a key of no node",
       term({requirement("m", Op::does_not_exist)}),
       {0, 1, 2, 3, 4, 5, 6}},
      {"Gt", term({requirement("n", Op::gt, {"1"})}), {1}},
      {"Gt, the least integer", term({requirement("n", Op::gt, {"0"})}), {0, 1}},
      {"Lt", term({requirement("n", Op::lt, {"2"})}), {0, 2}},
      {"Lt no integer", term({requirement("n", Op::lt, {"x"})}), none},
      {"Lt two integers", term({requirement("n", Op::lt, {"1", "2"})}), none},
      {"Gt, a key of no node", term({requirement("m", Op::gt, {"0"})}), none},
      {"an unknown operator", term({requirement("n", OpenOp("Like"), {"1"})}), none},
      {"no operator", term({requirement("n", Op::unset, {"1"})}), none},
      {"no key", term({requirement("", Op::not_in, {"1"})}), none},
      {"two requirements",
       term({requirement("n", Op::exists), requirement("zone", Op::in, {"a"})}),
       {0, 2}},
      {"two that exclude each other",
       term({requirement("n", Op::exists), requirement("zone", Op::in, {"b"})}), none},
      {"an empty term", term({}), none},
  };
  for (const std::size_t times : Numbers{1, 20, 100}) {
    CAPTURE(times);
    const NodeTable table(repeated(nodes, times));
    for (const Case& c : cases) {
      CAPTURE(c.name);
      const Numbers matching = repeated(c.matching, nodes.size(), times);
      CHECK(numbers(table.matching(NodeTermsMatcher(std::span(&c.term, 1)))) == matching);
      CHECK(numbers(table.matching(NodeAffinityMatcher(requiring({c.term})))) == matching);
    }
  }
}

TEST_CASE("terms are united; no terms and unusable ones match no node") {
  const std::vector<Node> nodes = {node({{"disk", "ssd"}}), node({{"disk", "hdd"}}), node({})};
  const NodeTable table(nodes);
  const NodeSelectorTerm ssd = term({requirement("disk", Op::in, {"ssd"})});
  const NodeSelectorTerm hdd = term({requirement("disk", Op::in, {"hdd"})});
  struct Case {
    std::string name;
    Labels node_selector;
    std::optional<Terms> terms;
    Numbers matching;
  };
  const Case cases[] = {
      {"neither nodeSelector nor affinity", {}, {}, {0, 1, 2}},
      {"a required affinity without terms", {}, Terms{}, {}},
      {"one term", {}, {{ssd}}, {0}},
      {"two terms", {}, {{ssd, hdd}}, {0, 1}},
      {"a term and an empty one", {}, {{ssd, term({})}}, {0}},
      {"an empty term", {}, {{term({})}}, {}},
      {"a nodeSelector", {{"disk", "hdd"}}, {}, {1}},
      {"a nodeSelector and a term of other nodes", {{"disk", "hdd"}}, {{ssd}}, {}},
      {"a nodeSelector and terms", {{"disk", "hdd"}}, {{ssd, hdd}}, {1}},
      {"a nodeSelector of no node's key", {{"gpu", ""}}, {}, {}},
      {"a nodeSelector of no node's value", {{"disk", ""}}, {}, {}},
      {"a nodeSelector, a required affinity without terms", {{"disk", "ssd"}}, Terms{}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodSpec spec = c.terms ? requiring(*c.terms) : PodSpec{};
    spec.node_selector = c.node_selector;
    CHECK(numbers(table.matching(NodeAffinityMatcher(spec))) == c.matching);
  }
  CHECK(numbers(table.matching(NodeTermsMatcher())).empty());
  CHECK(numbers(table.matching(NodeAffinityMatcher(PodSpec{}))) == Numbers{0, 1, 2});
}

TEST_CASE("sets of no nodes of one table are equal, whoever found none") {
  const NodeTable table(std::vector<Node>(3));
  const NodeSet none = table.matching(NodeTermsMatcher());
  CHECK(numbers(none).empty());
  CHECK(table.matching(schedpol::LabelMatcher()) == none);
  CHECK(table.matching(NodeAffinityMatcher()) == none);
  CHECK(table.matching(*compile(LabelSelector{.match_labels = {{"a", "b"}}})) == none);
  CHECK(table.scores(NodeAffinityMatcher()) == std::vector<std::int64_t>{0, 0, 0});
  PodSpec preferring;
  preferring.affinity.emplace()
      .node_affinity.emplace()
      .preferred_during_scheduling_ignored_during_execution = {
      {.weight = 1,
       .preference = {.match_expressions = {{"a", schedpol::NodeSelectorOperator::exists, {}}}}}};
  CHECK(NodeTable().scores(NodeAffinityMatcher(preferring)).empty());
}

TEST_CASE("copies of a table answer alike, and one that was moved from has no nodes") {
  NodeTable first(std::vector<Node>{node({{"disk", "ssd"}}), node({})});
  const schedpol::LabelMatcher ssd = *compile(LabelSelector{.match_labels = {{"disk", "ssd"}}});
  const NodeTable copy = first;
  const NodeTable moved = std::move(first);
  for (const NodeTable* table : {&copy, &moved}) {
    CHECK(table->size() == 2);
    CHECK(numbers(table->matching(ssd)) == Numbers{0});
  }
  CHECK(first.size() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(numbers(first.matching(ssd)).empty());
}

TEST_CASE("nodes are found by name, all that have it; other fields match none") {
  const std::vector<Node> nodes = {node({}, "a"), node({{"disk", "ssd"}}, "b"), node({}, "a"),
                                   node({{"metadata.name", "c"}}, "")};
  const auto name = [](OpenOp operator_, Texts values) {
    return requirement("metadata.name", std::move(operator_), std::move(values));
  };
  struct Case {
    std::string name;
    NodeSelectorTerm term;
    Numbers matching;
  };
  const Case cases[] = {
      {"a name", term({}, {name(Op::in, {"b"})}), {1}},
      {"a name of two nodes", term({}, {name(Op::in, {"a"})}), {0, 2}},
      {"the empty name", term({}, {name(Op::in, {""})}), {3}},
      {"a name of no node", term({}, {name(Op::in, {"c"})}), {}},
      {"another name", term({}, {name(Op::not_in, {"a"})}), {1, 3}},
      {"not a name of no node", term({}, {name(Op::not_in, {"c"})}), {0, 1, 2, 3}},
      {"two names at once", term({}, {name(Op::in, {"a"}), name(Op::in, {"b"})}), {}},
      {"two other names", term({}, {name(Op::not_in, {"a"}), name(Op::not_in, {"b"})}), {3}},
      {"a name and a label", term({requirement("disk", Op::exists)}, {name(Op::in, {"b"})}), {1}},
      {"a name without the label",
       term({requirement("disk", Op::exists)}, {name(Op::in, {"a"})}),
       {}},
      {"two values", term({}, {name(Op::in, {"a", "b"})}), {}},
      {"no value", term({}, {name(Op::not_in, {})}), {}},
      {"an operator for labels", term({}, {name(Op::exists, {})}), {}},
      {"an unknown operator", term({}, {name(OpenOp("Like"), {"a"})}), {}},
      {"another field", term({}, {requirement("metadata.namespace", Op::not_in, {"a"})}), {}},
      {"a label of that key", term({requirement("metadata.name", Op::in, {"c"})}), {3}},
  };
  for (const std::size_t times : Numbers{1, 50}) {
    CAPTURE(times);
    const NodeTable table(repeated(nodes, times));
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CHECK(numbers(table.matching(NodeTermsMatcher(std::span(&c.term, 1)))) ==
            repeated(c.matching, nodes.size(), times));
    }
  }
}

TEST_CASE("an absent label selector selects no node, an empty one all") {
  const NodeTable table(std::vector<Node>{node({{"disk", "ssd"}}), node({})});
  CHECK(numbers(table.matching(LabelMatcher())).empty());
  CHECK(numbers(table.matching(*compile(std::nullopt))).empty());
  CHECK(numbers(table.matching(*compile(LabelSelector{}))) == Numbers{0, 1});
}

TEST_CASE("taints of the effects that count have to be tolerated, every one of a node") {
  const Taint gpu = {"dedicated", "gpu", TaintEffect::no_schedule};
  const Taint evicts = {"dedicated", "gpu", TaintEffect::no_execute};
  const Taint prefers = {"dedicated", "gpu", TaintEffect::prefer_no_schedule};
  const Taint spot = {"spot", "", TaintEffect::no_schedule};
  const Taint unknown = {"dedicated", "gpu", OpenEnum<TaintEffect>("NoRun")};
  const Taint effectless = {"dedicated", "gpu", TaintEffect::unset};
  const std::vector<Node> nodes = {node({}),
                                   node({}, "", {gpu}),
                                   node({}, "", {evicts}),
                                   node({}, "", {prefers}),
                                   node({}, "", {gpu, spot}),
                                   node({}, "", {gpu, gpu}),
                                   node({}, "", {unknown}),
                                   node({}, "", {effectless}),
                                   node({}, "", {prefers, spot})};
  const Toleration tolerates_gpu = {
      .key = "dedicated", .value = "gpu", .effect = TaintEffect::no_schedule};
  const Toleration tolerates_spot = {.key = "spot", .operator_ = TolerationOperator::exists};
  const Toleration tolerates_everything = {.operator_ = TolerationOperator::exists};
  constexpr std::array execute = {TaintEffect::no_execute};
  constexpr std::array prefer = {TaintEffect::prefer_no_schedule};
  constexpr std::array unknown_or_none = {TaintEffect::unknown, TaintEffect::unset};
  const Effects by_default = schedpol::repelling_effects;
  struct Case {
    std::string name;
    std::vector<Toleration> tolerations;
    Effects effects;
    Numbers tolerated;
  };
  const Case cases[] = {
      {"no tolerations", {}, by_default, {0, 3, 6, 7}},
      {"of one effect", {tolerates_gpu}, by_default, {0, 1, 3, 5, 6, 7}},
      {"of one of two taints", {tolerates_spot}, by_default, {0, 3, 6, 7, 8}},
      {"of both", {tolerates_gpu, tolerates_spot}, by_default, {0, 1, 3, 4, 5, 6, 7, 8}},
      {"of everything", {tolerates_everything}, by_default, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
      {"only NoExecute counts", {}, execute, {0, 1, 3, 4, 5, 6, 7, 8}},
      {"only PreferNoSchedule counts", {}, prefer, {0, 1, 2, 4, 5, 6, 7}},
      {"unknown effects and none count", {}, unknown_or_none, {0, 1, 2, 3, 4, 5, 8}},
      {"no effect counts", {}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8}},
      {"every known effect counts", {}, schedpol::taint_effects, {0, 6, 7}},
  };
  for (const std::size_t times : Numbers{1, 100}) {
    CAPTURE(times);
    const NodeTable table(repeated(nodes, times));
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CHECK(numbers(table.tolerated_by(c.tolerations, c.effects)) ==
            repeated(c.tolerated, nodes.size(), times));
    }
    CHECK(table.tolerated_by({}) == table.tolerated_by({}, by_default));
  }
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(numbers_where(nodes, [&](const Node& n) {
            return tolerates_all(c.tolerations, n.spec.taints, c.effects);
          }) == c.tolerated);
  }
}

TEST_CASE("a score is the sum of the weights of the matching preferences") {
  const NodeTable table(
      std::vector<Node>{node({{"disk", "ssd"}, {"zone", "a"}}), node({{"zone", "a"}}), node({})});
  const NodeSelectorTerm ssd = term({requirement("disk", Op::in, {"ssd"})});
  const NodeSelectorTerm in_a = term({requirement("zone", Op::in, {"a"})});
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  struct Case {
    std::string name;
    std::vector<PreferredSchedulingTerm> preferred;
    Scores scores;
  };
  const Case cases[] = {
      {"no preference", {}, {0, 0, 0}},
      {"one", {{5, ssd}}, {5, 0, 0}},
      {"two", {{5, ssd}, {7, in_a}}, {12, 7, 0}},
      {"the same twice", {{5, ssd}, {5, ssd}}, {10, 0, 0}},
      {"an empty one", {{5, term({})}, {1, in_a}}, {1, 1, 0}},
      {"one that breaks a rule", {{5, term({requirement("disk", Op::in)})}}, {0, 0, 0}},
      {"the largest and the smallest weights", {{100, ssd}, {1, in_a}}, {101, 1, 0}},
      {"a weight that the API server refuses", {{101, ssd}, {0, in_a}, {most, in_a}}, {0, 0, 0}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodSpec spec;
    spec.affinity.emplace()
        .node_affinity.emplace()
        .preferred_during_scheduling_ignored_during_execution = c.preferred;
    CHECK(table.scores(NodeAffinityMatcher(spec)) == c.scores);
    CHECK(numbers(table.matching(NodeAffinityMatcher(spec))) == Numbers{0, 1, 2});
  }
}

TEST_CASE("a table of no nodes has none to match") {
  for (const NodeTable& table : {NodeTable(), NodeTable(std::span<const Node>())}) {
    CHECK(table.size() == 0);
    CHECK(numbers(table.matching(*compile(LabelSelector{}))).empty());
    CHECK(numbers(table.matching(NodeTermsMatcher(Terms{term({requirement("a", Op::exists)})})))
              .empty());
    CHECK(numbers(table.matching(NodeAffinityMatcher())).empty());
    CHECK(numbers(table.tolerated_by({})).empty());
    CHECK(table.scores(NodeAffinityMatcher()).empty());
    CHECK(!table.find("a"));
    CHECK(table.name(0).empty());
  }
  NodeTable table;
  table.replace(0, {});
  table.remove(0);
  CHECK(table.size() == 0);
}

TEST_CASE("a table keeps what it was built from") {
  std::vector<Node> nodes = {node({{"disk", "ssd"}}, "a", {{"spot", "", TaintEffect::no_execute}}),
                             node({}, "b")};
  const NodeAffinityMatcher affinity(requiring(
      {term({requirement("disk", Op::exists)}, {requirement("metadata.name", Op::in, {"a"})})}));
  std::optional<NodeTable> first(nodes);
  nodes.clear();
  const NodeTable copy = *first;
  first.reset();
  CHECK(copy.size() == 2);
  CHECK(numbers(copy.matching(affinity)) == Numbers{0});
  CHECK(numbers(copy.tolerated_by({})) == Numbers{1});
}

TEST_CASE("a node that is unschedulable has to be tolerated as its taint says") {
  std::vector<Node> nodes = {node({}), node({}), node({})};
  nodes[1].spec.unschedulable = true;
  nodes[2].spec.unschedulable = true;  // as it stands when a controller has seen it
  nodes[2].spec.taints = {schedpol::unschedulable_taint()};
  CHECK(schedpol::unschedulable_taint() ==
        Taint{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule});
  constexpr std::array execute = {TaintEffect::no_execute};
  struct Case {
    std::string name;
    std::vector<Toleration> tolerations;
    Effects effects;
    Numbers tolerated;
  };
  const Toleration tolerates_it = {.key = "node.kubernetes.io/unschedulable",
                                   .operator_ = TolerationOperator::exists,
                                   .effect = TaintEffect::no_schedule};
  const Toleration evicted = {.key = "node.kubernetes.io/unschedulable",
                              .operator_ = TolerationOperator::exists,
                              .effect = TaintEffect::no_execute};
  const Case cases[] = {
      {"not tolerated", {}, schedpol::repelling_effects, {0}},
      {"tolerated", {tolerates_it}, schedpol::repelling_effects, {0, 1, 2}},
      {"tolerated with everything",
       {{.operator_ = TolerationOperator::exists}},
       schedpol::repelling_effects,
       {0, 1, 2}},
      {"another effect tolerated", {evicted}, schedpol::repelling_effects, {0}},
      {"its effect does not count", {}, execute, {0, 1, 2}},
  };
  const NodeTable table(nodes);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(numbers(table.tolerated_by(c.tolerations, c.effects)) == c.tolerated);
    CHECK(numbers_where(nodes, [&](const Node& n) {
            return tolerates_all(c.tolerations, n, c.effects);
          }) == c.tolerated);
  }
}

TEST_CASE("5,000 nodes: as many match as the Kubernetes implementation finds") {
  const NodeTable table(cloud_nodes(5000));
  const PodSpec pod = cloud_pod();
  NodeSet feasible = table.matching(*compile(cloud_selector));
  const NodeSet attracted = table.matching(NodeAffinityMatcher(pod));
  const NodeSet tolerated = table.tolerated_by(pod.tolerations);
  CHECK(feasible.size() == 3749);
  CHECK(attracted.size() == 417);
  CHECK(tolerated.size() == 3955);
  feasible &= attracted;
  feasible &= tolerated;
  CHECK(feasible.size() == 219);
}

TEST_CASE("asking a table allocates a few sets, however many nodes there are") {
  const LabelMatcher selector = *compile(cloud_selector);
  PodSpec pod = cloud_pod();
  pod.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {1, term({requirement("kernel", Op::gt, {"1"}),
                requirement("kubernetes.io/hostname", Op::not_in, {"node-00001", "node-00002"})},
               {requirement("metadata.name", Op::not_in, {"node-00003"})})}};
  const NodeAffinityMatcher affinity(pod);
  for (const std::size_t nodes : Numbers{10, 100, 2000}) {
    CAPTURE(nodes);
    const NodeTable table(cloud_nodes(nodes));
    std::array<std::size_t, 4> allocations{};
    const auto count = [](auto ask) {
      const CountAllocations counter;
      const auto answer = ask();
      return counter.count();
    };
    allocations[0] = count([&] { return table.matching(selector); });
    allocations[1] = count([&] { return table.matching(affinity); });
    allocations[2] = count([&] { return table.tolerated_by(pod.tolerations); });
    allocations[3] = count([&] { return table.scores(affinity); });
    CHECK(allocations == std::array<std::size_t, 4>{2, 4, 1, 3});
  }
}

}  // namespace node_table_test
