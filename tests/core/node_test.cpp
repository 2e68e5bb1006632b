// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/node.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace node_test {

using schedpol::Affinity;
using schedpol::Labels;
using schedpol::Node;
using schedpol::NodeAffinity;
using schedpol::NodeAffinityMatcher;
using schedpol::NodeSelector;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::NodeSpec;
using schedpol::NodeTermsMatcher;
using schedpol::OpenEnum;
using schedpol::PodSpec;
using schedpol::PreferredSchedulingTerm;
using schedpol::Taint;
using schedpol::TaintEffect;
using schedpol::Texts;
using Op = schedpol::NodeSelectorOperator;
using OpenOp = OpenEnum<Op>;
using Terms = std::vector<NodeSelectorTerm>;
using Strings = std::vector<std::string>;

static_assert(std::is_aggregate_v<Node>);
static_assert(std::is_nothrow_move_constructible_v<NodeSpec>);
static_assert(std::equality_comparable<Node>);
static_assert(std::equality_comparable<NodeSpec>);
static_assert(std::is_copy_constructible_v<NodeAffinityMatcher>);
static_assert(!std::is_convertible_v<PodSpec, NodeAffinityMatcher>);
static_assert(noexcept(std::declval<const NodeTermsMatcher&>().matches(std::declval<Node&>())));
static_assert(noexcept(std::declval<const NodeAffinityMatcher&>().matches(std::declval<Node&>())));
static_assert(noexcept(std::declval<const NodeAffinityMatcher&>().score(std::declval<Node&>())));

NodeSelectorRequirement requirement(std::string key, OpenOp operator_, Texts values = {}) {
  return {.key = std::move(key), .operator_ = std::move(operator_), .values = std::move(values)};
}

NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions,
                      std::vector<NodeSelectorRequirement> fields = {}) {
  return {.match_expressions = std::move(expressions), .match_fields = std::move(fields)};
}

Node node(Labels labels, std::string name = "node-1") {
  return {.metadata = {.name = std::move(name), .labels = std::move(labels)}};
}

PodSpec requiring(Terms terms) {
  return {.affinity = Affinity{.node_affinity = NodeAffinity{
                                   .required_during_scheduling_ignored_during_execution =
                                       NodeSelector{.node_selector_terms = std::move(terms)}}}};
}

PodSpec preferring(std::vector<PreferredSchedulingTerm> terms) {
  return {.affinity = Affinity{
              .node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution =
                                                std::move(terms)}}};
}

bool matches(const PodSpec& spec, const Node& node) {
  return NodeAffinityMatcher(spec).matches(node);
}

/// Whether a pod that requires one term of one expression may run on a node with these labels.
bool holds(const NodeSelectorRequirement& requirement, const Labels& labels) {
  return matches(requiring({term({requirement})}), node(labels));
}

const Node ssd_node = node({{"disk", "ssd"}, {"zone", "a"}, {"empty", ""}});
const NodeSelectorTerm is_ssd = term({requirement("disk", Op::in, {"ssd"})});
const NodeSelectorTerm is_hdd = term({requirement("disk", Op::in, {"hdd"})});

TEST_CASE("a pod that asks for nothing matches every node and scores zero") {
  const PodSpec specs[] = {
      {},
      {.affinity = Affinity{}},
      {.affinity = Affinity{.node_affinity = NodeAffinity{}}},
      {.affinity = Affinity{.pod_affinity = schedpol::PodAffinity{}}},
  };
  for (const PodSpec& spec : specs) {
    for (const Node& node : {Node{}, ssd_node}) {
      CHECK(NodeAffinityMatcher(spec).matches(node));
      CHECK(NodeAffinityMatcher(spec).score(node) == 0);
    }
  }
}

TEST_CASE("a matcher that was made of nothing, or moved from, matches no node") {
  NodeAffinityMatcher affinity(PodSpec{});
  NodeTermsMatcher terms(Terms{is_ssd});
  const NodeAffinityMatcher affinity_of = std::move(affinity);
  const NodeTermsMatcher terms_of = std::move(terms);
  CHECK(affinity_of.matches(ssd_node));
  CHECK(terms_of.matches(ssd_node));
  for (const NodeAffinityMatcher& none : {NodeAffinityMatcher(), affinity}) {
    CHECK(!none.matches(ssd_node));
    CHECK(!none.matches(Node{}));
    CHECK(none.score(ssd_node) == 0);
  }
  CHECK(!terms.matches(ssd_node));
}

TEST_CASE("the nodeSelector and the required node affinity both have to match") {
  struct Case {
    std::string name;
    Labels node_selector;
    std::optional<Terms> terms;
    bool matches;
  };
  const Case cases[] = {
      {"neither", {}, {}, true},
      {"a pair of the node", {{"disk", "ssd"}}, {}, true},
      {"two pairs of the node", {{"disk", "ssd"}, {"zone", "a"}}, {}, true},
      {"another value", {{"disk", "hdd"}}, {}, false},
      {"another case", {{"disk", "SSD"}}, {}, false},
      {"a key that the node lacks", {{"gpu", ""}}, {}, false},
      {"an empty value", {{"empty", ""}}, {}, true},
      {"an empty value, the node's is not", {{"disk", ""}}, {}, false},
      {"one of two pairs", {{"disk", "ssd"}, {"zone", "b"}}, {}, false},
      {"a term that matches", {}, {{is_ssd}}, true},
      {"a term that does not", {}, {{is_hdd}}, false},
      {"both match", {{"zone", "a"}}, {{is_ssd}}, true},
      {"only the pair matches", {{"zone", "a"}}, {{is_hdd}}, false},
      {"only the term matches", {{"zone", "b"}}, {{is_ssd}}, false},
      {"neither matches", {{"zone", "b"}}, {{is_hdd}}, false},
      {"a required affinity without terms", {}, Terms{}, false},
      {"a required affinity without terms, a pair", {{"zone", "a"}}, Terms{}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodSpec spec = c.terms ? requiring(*c.terms) : PodSpec{};
    spec.node_selector = c.node_selector;
    CHECK(matches(spec, ssd_node) == c.matches);
    if (c.node_selector.empty() && c.terms) {
      CHECK(NodeTermsMatcher(*c.terms).matches(ssd_node) == c.matches);
    }
  }
  CHECK(!NodeTermsMatcher().matches(ssd_node));
  CHECK(!NodeTermsMatcher(Terms{}).matches(ssd_node));
}

TEST_CASE("terms are ORed, the requirements of a term ANDed, and an empty term matches no node") {
  const NodeSelectorRequirement ssd = requirement("disk", Op::in, {"ssd"});
  const NodeSelectorRequirement hdd = requirement("disk", Op::in, {"hdd"});
  const NodeSelectorRequirement zone_a = requirement("zone", Op::in, {"a"});
  const NodeSelectorRequirement zone_b = requirement("zone", Op::in, {"b"});
  const NodeSelectorRequirement name = requirement("metadata.name", Op::in, {"node-1"});
  const NodeSelectorRequirement other_name = requirement("metadata.name", Op::in, {"node-2"});
  struct Case {
    std::string name;
    Terms terms;
    bool matches;
  };
  const Case cases[] = {
      {"an empty term", {term({})}, false},
      {"two empty terms", {term({}), term({})}, false},
      {"an empty term and one that matches", {term({}), is_ssd}, true},
      {"an empty term and one that does not", {term({}), is_hdd}, false},
      {"the first matches", {is_ssd, is_hdd}, true},
      {"the last matches", {is_hdd, is_ssd}, true},
      {"none matches", {is_hdd, is_hdd}, false},
      {"all requirements hold", {term({ssd, zone_a})}, true},
      {"the first does not", {term({hdd, zone_a})}, false},
      {"the last does not", {term({ssd, zone_b})}, false},
      {"half of each term", {term({ssd, zone_b}), term({hdd, zone_a})}, false},
      {"the same key twice", {term({ssd, hdd})}, false},
      {"a label and the name", {term({ssd}, {name})}, true},
      {"the label does not hold", {term({hdd}, {name})}, false},
      {"the name does not", {term({ssd}, {other_name})}, false},
      {"only the name", {term({}, {name})}, true},
      {"only another name", {term({}, {other_name})}, false},
      {"two names", {term({}, {name, other_name})}, false},
      {"a name in either term", {term({}, {other_name}), term({}, {name})}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(matches(requiring(c.terms), ssd_node) == c.matches);
    CHECK(NodeTermsMatcher(c.terms).matches(ssd_node) == c.matches);
  }
}

TEST_CASE("In, NotIn, Exists and DoesNotExist look at the node's labels") {
  const Labels labels = {{"disk", "ssd"}, {"empty", ""}};
  struct Case {
    std::string name;
    NodeSelectorRequirement requirement;
    bool holds;
  };
  const Case cases[] = {
      {"In: the value", requirement("disk", Op::in, {"ssd"}), true},
      {"In: one of the values, unsorted", requirement("disk", Op::in, {"z", "ssd", "a"}), true},
      {"In: other values", requirement("disk", Op::in, {"hdd", "nvme"}), false},
      {"In: a prefix", requirement("disk", Op::in, {"ss", "ssds"}), false},
      {"In: the empty value", requirement("empty", Op::in, {""}), true},
      {"In: a missing key", requirement("gpu", Op::in, {"", "ssd"}), false},
      {"NotIn: the value", requirement("disk", Op::not_in, {"ssd"}), false},
      {"NotIn: one of the values", requirement("disk", Op::not_in, {"z", "ssd", "a"}), false},
      {"NotIn: other values", requirement("disk", Op::not_in, {"hdd", "nvme"}), true},
      {"NotIn: the empty value", requirement("empty", Op::not_in, {""}), false},
      {"NotIn: a missing key", requirement("gpu", Op::not_in, {"true"}), true},
      {"NotIn: a missing key, the empty value", requirement("gpu", Op::not_in, {""}), true},
      {"Exists: the key", requirement("disk", Op::exists), true},
      {"Exists: a key with an empty value", requirement("empty", Op::exists), true},
      {"Exists: a missing key", requirement("gpu", Op::exists), false},
      {"DoesNotExist: the key", requirement("disk", Op::does_not_exist), false},
      {"DoesNotExist: an empty value", requirement("empty", Op::does_not_exist), false},
      {"DoesNotExist: a missing key", requirement("gpu", Op::does_not_exist), true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(holds(c.requirement, labels) == c.holds);
  }
}

TEST_CASE("Gt and Lt compare the node's label with one int64") {
  struct Case {
    std::string name;
    std::optional<std::string> label;
    std::string bound;
    bool gt;
    bool lt;
  };
  const Case cases[] = {
      {"above", "6", "5", true, false},
      {"below", "4", "5", false, true},
      {"equal", "5", "5", false, false},
      {"numbers, not texts", "10", "9", true, false},
      {"numbers of several digits", "100", "99", true, false},
      {"zero", "1", "0", true, false},
      {"leading zeros in the label", "010", "9", true, false},
      {"leading zeros in the bound", "10", "009", true, false},
      {"leading zeros, equal", "007", "07", false, false},
      {"a negative label", "-1", "0", false, true},
      {"a plus in the label", "+6", "5", true, false},
      {"the largest label", "9223372036854775807", "9223372036854775806", true, false},
      {"the largest bound", "9223372036854775806", "9223372036854775807", false, true},
      {"the smallest label", "-9223372036854775808", "0", false, true},
      {"a missing label", std::nullopt, "5", false, false},
      {"an empty label", "", "5", false, false},
      {"a label that is no number", "six", "5", false, false},
      {"a number and a letter", "6a", "5", false, false},
      {"a fraction", "6.0", "5", false, false},
      {"a plus and a minus", "+-6", "5", false, false},
      {"two signs", "--6", "5", false, false},
      {"a sign alone", "-", "5", false, false},
      {"a space", " 6", "5", false, false},
      {"hexadecimal", "0x6", "5", false, false},
      {"an exponent", "1e3", "5", false, false},
      {"a label beyond int64", "9223372036854775808", "5", false, false},
      {"a label below int64", "-9223372036854775809", "5", false, false},
      {"an empty bound", "6", "", false, false},
      {"a bound that is no number", "6", "five", false, false},
      {"a fraction as the bound", "6", "5.0", false, false},
      {"a bound beyond int64", "6", "9223372036854775808", false, false},
      {"a bound with a minus is no label value", "6", "-5", false, false},
      {"a bound with a plus is no label value", "6", "+5", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Labels labels = {{"other", "1"}};
    if (c.label) labels["cores"] = *c.label;
    CHECK(holds(requirement("cores", Op::gt, {c.bound}), labels) == c.gt);
    CHECK(holds(requirement("cores", Op::lt, {c.bound}), labels) == c.lt);
  }
}

TEST_CASE("each Gt and Lt of a term has its own bound") {
  const NodeSelectorTerm between =
      term({requirement("disk", Op::exists), requirement("cores", Op::gt, {"4"}),
            requirement("zone", Op::not_in, {"b"}), requirement("cores", Op::lt, {"16"})});
  for (const std::string cores : {"3", "4", "5", "15", "16", "17"}) {
    CAPTURE(cores);
    const bool inside = cores == "5" || cores == "15";
    CHECK(matches(requiring({between}), node({{"disk", ""}, {"cores", cores}})) == inside);
  }
}

TEST_CASE("matchFields knows metadata.name, with In or NotIn and one value") {
  struct Case {
    std::string name;
    NodeSelectorRequirement field;
    bool matches;
  };
  const Case cases[] = {
      {"In: the name", requirement("metadata.name", Op::in, {"node-1"}), true},
      {"In: another name", requirement("metadata.name", Op::in, {"node-2"}), false},
      {"In: a prefix", requirement("metadata.name", Op::in, {"node"}), false},
      {"NotIn: the name", requirement("metadata.name", Op::not_in, {"node-1"}), false},
      {"NotIn: another name", requirement("metadata.name", Op::not_in, {"node-2"}), true},
      {"In: two names", requirement("metadata.name", Op::in, {"node-1", "node-2"}), false},
      {"In: the name twice", requirement("metadata.name", Op::in, {"node-1", "node-1"}), false},
      {"In: no name", requirement("metadata.name", Op::in), false},
      {"NotIn: two names", requirement("metadata.name", Op::not_in, {"node-2", "node-3"}), false},
      {"NotIn: no name", requirement("metadata.name", Op::not_in), false},
      {"Exists", requirement("metadata.name", Op::exists), false},
      {"Exists with the name", requirement("metadata.name", Op::exists, {"node-1"}), false},
      {"DoesNotExist", requirement("metadata.name", Op::does_not_exist), false},
      {"Gt", requirement("metadata.name", Op::gt, {"node-1"}), false},
      {"Lt", requirement("metadata.name", Op::lt, {"node-1"}), false},
      {"no operator", requirement("metadata.name", {}, {"node-1"}), false},
      {"an unknown operator", requirement("metadata.name", OpenOp("Is"), {"node-1"}), false},
      {"the namespace", requirement("metadata.namespace", Op::in, {""}), false},
      {"NotIn of another field", requirement("metadata.namespace", Op::not_in, {"x"}), false},
      {"a label", requirement("disk", Op::in, {"ssd"}), false},
      {"no key", requirement("", Op::in, {"node-1"}), false},
      {"another case", requirement("metadata.Name", Op::in, {"node-1"}), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(matches(requiring({term({}, {c.field})}), ssd_node) == c.matches);
  }
  CHECK(!holds(requirement("metadata.name", Op::in, {"node-1"}), ssd_node.metadata.labels));
}

TEST_CASE("a requirement that breaks the rules makes its term match no node, and only its term") {
  const Labels labels = {{"disk", "ssd"}, {"-a", "1"}, {"b", "-1"}};
  struct Case {
    std::string name;
    NodeSelectorRequirement broken;
  };
  const Case cases[] = {
      {"In without values", requirement("disk", Op::in)},
      {"NotIn without values", requirement("gpu", Op::not_in)},
      {"Exists with a value", requirement("disk", Op::exists, {"ssd"})},
      {"Exists with an empty value", requirement("disk", Op::exists, {""})},
      {"DoesNotExist with a value", requirement("gpu", Op::does_not_exist, {"x"})},
      {"Gt without values", requirement("disk", Op::gt)},
      {"Gt with two values", requirement("cores", Op::gt, {"1", "2"})},
      {"Lt with two values", requirement("cores", Op::lt, {"9", "9"})},
      {"no operator", requirement("disk", {}, {"ssd"})},
      {"an unknown operator", requirement("disk", OpenOp("Like"), {"ssd"})},
      {"an operator in another case", requirement("disk", OpenOp("in"), {"ssd"})},
      {"an operator of tolerations", requirement("disk", OpenOp("Equal"), {"ssd"})},
      {"a malformed key", requirement("-a", Op::in, {"1"})},
      {"a malformed key that exists", requirement("-a", Op::exists)},
      {"a malformed key that does not", requirement("a b", Op::does_not_exist)},
      {"an empty key", requirement("", Op::does_not_exist)},
      {"a malformed value", requirement("b", Op::in, {"-1"})},
      {"a malformed value after a good one", requirement("disk", Op::in, {"ssd", "a b"})},
      {"a malformed value before a good one", requirement("disk", Op::in, {"-", "ssd"})},
      {"NotIn a malformed value", requirement("disk", Op::not_in, {"a b"})},
      {"a value of 64 bytes", requirement("disk", Op::not_in, {std::string(64, 'a')})},
      {"a key of 64 bytes", requirement(std::string(64, 'a'), Op::does_not_exist)},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(!holds(c.broken, labels));
    const NodeSelectorRequirement good = requirement("disk", Op::exists);
    CHECK(!matches(requiring({term({good, c.broken})}), node(labels)));
    CHECK(!matches(requiring({term({c.broken, good})}), node(labels)));
    CHECK(matches(requiring({term({c.broken}), term({good})}), node(labels)));
    CHECK(matches(requiring({term({good}), term({c.broken})}), node(labels)));
    CHECK(NodeAffinityMatcher(preferring({{.weight = 5, .preference = term({c.broken})},
                                          {.weight = 7, .preference = term({good})}}))
              .score(node(labels)) == 7);
  }
  const NodeSelectorRequirement bad_field = requirement("metadata.uid", Op::in, {"1"});
  CHECK(!matches(requiring({term({requirement("disk", Op::exists)}, {bad_field})}), node(labels)));
  CHECK(matches(requiring({term({}, {bad_field}), is_ssd}), node(labels)));
}

TEST_CASE("the score is the sum of the weights of the matching preferences") {
  const NodeSelectorTerm zone_a = term({requirement("zone", Op::in, {"a"})});
  const NodeSelectorTerm named = term({}, {requirement("metadata.name", Op::in, {"node-1"})});
  struct Case {
    std::string name;
    std::vector<PreferredSchedulingTerm> preferred;
    std::int64_t score;
  };
  const Case cases[] = {
      {"none", {}, 0},
      {"one that matches", {{.weight = 10, .preference = is_ssd}}, 10},
      {"one that does not", {{.weight = 10, .preference = is_hdd}}, 0},
      {"two that match",
       {{.weight = 10, .preference = is_ssd}, {.weight = 3, .preference = zone_a}},
       13},
      {"one of two",
       {{.weight = 10, .preference = is_hdd}, {.weight = 3, .preference = zone_a}},
       3},
      {"the same twice",
       {{.weight = 10, .preference = is_ssd}, {.weight = 10, .preference = is_ssd}},
       20},
      {"by name", {{.weight = 100, .preference = named}}, 100},
      {"an empty preference", {{.weight = 100, .preference = term({})}}, 0},
      {"an empty preference beside another",
       {{.weight = 100, .preference = term({})}, {.weight = 1, .preference = is_ssd}},
       1},
      {"both requirements",
       {{.weight = 9,
         .preference = term({requirement("disk", Op::exists), requirement("gpu", Op::exists)})}},
       0},
      {"weights that the API server refuses",
       {{.weight = 0, .preference = is_ssd},
        {.weight = -7, .preference = is_ssd},
        {.weight = 101, .preference = is_ssd},
        {.weight = 2147483647, .preference = zone_a}},
       0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const NodeAffinityMatcher matcher(preferring(c.preferred));
    CHECK(matcher.score(ssd_node) == c.score);
    CHECK(matcher.matches(ssd_node));
    CHECK(matcher.matches(Node{}));
  }
}

TEST_CASE("preferences do not decide whether, requirements not how much") {
  PodSpec spec = preferring({{.weight = 10, .preference = is_ssd}});
  spec.node_selector = {{"zone", "b"}};
  spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution =
      NodeSelector{.node_selector_terms = {is_hdd}};
  const NodeAffinityMatcher matcher(spec);
  CHECK(!matcher.matches(ssd_node));
  CHECK(matcher.score(ssd_node) == 10);
  const Node other = node({{"disk", "hdd"}, {"zone", "b"}});
  CHECK(matcher.matches(other));
  CHECK(matcher.score(other) == 0);
}

TEST_CASE("a matcher keeps what it was built of") {
  NodeAffinityMatcher matcher;
  {
    PodSpec spec = requiring({is_ssd});
    matcher = NodeAffinityMatcher(spec);
    spec = requiring({is_hdd});
  }
  CHECK(matcher.matches(ssd_node));
  CHECK(!matcher.matches(node({{"disk", "hdd"}})));
}

/// 5,000 nodes of 12 labels in several pools, zones and with several taints.
std::vector<Node> large_cluster() {
  const std::array<std::string, 3> zones = {"a", "b", "c"};
  const std::array<std::string, 5> types = {"m6i.2xlarge", "m6i.4xlarge", "r6i.4xlarge",
                                            "c6i.8xlarge", "m7g.4xlarge"};
  const std::array<std::string, 3> disks = {"ssd", "nvme", "hdd"};
  const std::array<std::string, 4> pools = {"general", "payments", "legacy", "gpu"};
  constexpr auto no_schedule = TaintEffect::no_schedule;
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < 5000; ++i) {
    const std::string number = std::to_string(100'000 + i).substr(1);
    const std::string team = std::to_string(100 + i % 17).substr(1);
    const std::string arch = i % 4 == 3 ? "arm64" : "amd64";
    Node node{.metadata = {.name = "node-" + number,
                           .labels = {{"kubernetes.io/hostname", "node-" + number},
                                      {"kubernetes.io/os", "linux"},
                                      {"beta.kubernetes.io/os", "linux"},
                                      {"kubernetes.io/arch", arch},
                                      {"beta.kubernetes.io/arch", arch},
                                      {"topology.kubernetes.io/region", "eu-west-1"},
                                      {"topology.kubernetes.io/zone", "eu-west-1" + zones[i % 3]},
                                      {"node.kubernetes.io/instance-type", types[i % 5]},
                                      {"disk", disks[(i / 3) % 3]},
                                      {"node-pool", pools[(i / 9) % 4]},
                                      {"team", "team-" + team},
                                      {"kernel", "6.1." + std::to_string(i % 40)}}}};
    std::vector<Taint>& taints = node.spec.taints;
    if (i % 5 == 0) taints.push_back({"dedicated", "gpu", no_schedule});
    if (i % 7 == 0) taints.push_back({"dedicated", "infra", no_schedule});
    if (i % 11 == 0) taints.push_back({"spot", "true", TaintEffect::prefer_no_schedule});
    if (i % 13 == 0) taints.push_back({"node.kubernetes.io/memory-pressure", "", no_schedule});
    nodes.push_back(std::move(node));
  }
  return nodes;
}

PodSpec gpu_pod() {
  using TolerationOp = schedpol::TolerationOperator;
  return {
      .scheduler_name = "my-scheduler",
      .priority_class_name = "high-priority",
      .node_selector = {{"kubernetes.io/arch", "amd64"},
                        {"disk", "ssd"},
                        {"topology.kubernetes.io/zone", "eu-west-1a"}},
      .tolerations = {{.key = "dedicated",
                       .operator_ = TolerationOp::equal,
                       .value = "gpu",
                       .effect = TaintEffect::no_schedule},
                      {.key = "spot",
                       .operator_ = TolerationOp::equal,
                       .value = "true",
                       .effect = TaintEffect::prefer_no_schedule},
                      {.key = "node.kubernetes.io/memory-pressure",
                       .operator_ = TolerationOp::exists,
                       .effect = TaintEffect::no_execute}},
      .affinity =
          Affinity{
              .node_affinity =
                  NodeAffinity{
                      .required_during_scheduling_ignored_during_execution =
                          NodeSelector{
                              .node_selector_terms =
                                  {
                                      term({requirement("kubernetes.io/arch", Op::in,
                                                        {"amd64", "arm64"}),
                                            requirement("topology.kubernetes.io/zone", Op::in,
                                                        {"eu-west-1a", "eu-west-1b"})}),
                                      term(
                                          {requirement("disk", Op::in, {"ssd"}),
                                           requirement("node-pool", Op::not_in, {"legacy"})})}}}},
  };
}

TEST_CASE("one pod is matched against 5,000 nodes by selector, affinity and taints") {
  const std::vector<Node> nodes = large_cluster();
  const PodSpec pod = gpu_pod();
  REQUIRE(nodes.size() == 5000);
  REQUIRE(nodes[42].metadata.name == "node-00042");
  REQUIRE(nodes[42].metadata.labels.size() == 12);
  const auto selector = schedpol::compile(schedpol::LabelSelector{
      .match_labels = {{"kubernetes.io/os", "linux"}},
      .match_expressions = {{.key = "node-pool",
                             .operator_ = schedpol::LabelSelectorOperator::not_in,
                             .values = {"legacy"}}}});
  REQUIRE(static_cast<bool>(selector));
  const NodeAffinityMatcher affinity(pod);
  int selected = 0;
  int wanted = 0;
  int tolerated = 0;
  int all = 0;
  for (const Node& node : nodes) {
    const auto untolerated = schedpol::find_untolerated(pod.tolerations, node.spec.taints);
    const bool is_tolerated =
        std::none_of(untolerated.begin(), untolerated.end(), [](const Taint& taint) {
          return taint.effect == TaintEffect::no_schedule ||
                 taint.effect == TaintEffect::no_execute;
        });
    const bool is_selected = selector->matches(node.metadata.labels);
    const bool is_wanted = affinity.matches(node);
    selected += is_selected ? 1 : 0;
    wanted += is_wanted ? 1 : 0;
    tolerated += is_tolerated ? 1 : 0;
    all += is_selected && is_wanted && is_tolerated ? 1 : 0;
  }
  CHECK(selected == 3749);
  CHECK(wanted == 417);
  CHECK(tolerated == 3955);
  CHECK(all == 219);
}

}  // namespace node_test
