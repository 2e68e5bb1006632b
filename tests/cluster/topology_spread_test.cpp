// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/bound_pods.hpp>

#include "../support/path.hpp"
#include "../support/plain_spread.hpp"
#include "../support/print.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace topology_spread_test {

using schedpol::BoundPods;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorOperator;
using schedpol::Node;
using schedpol::NodeInclusionPolicy;
using schedpol::OpenEnum;
using schedpol::Pod;
using schedpol::TaintEffect;
using schedpol::TopologySpreadConstraint;
using schedpol::WhenUnsatisfiable;
using schedpol::testing::PlainSpread;
using schedpol::testing::Spread;
using Constraints = std::vector<TopologySpreadConstraint>;
using Pods = std::vector<Pod>;

const std::vector<Node> nodes = {
    {.metadata = {.name = "a1", .labels = {{"zone", "a"}, {"host", "a1"}, {"disk", "ssd"}}}},
    {.metadata = {.name = "a2", .labels = {{"zone", "a"}, {"host", "a2"}}}},
    {.metadata = {.name = "b1", .labels = {{"zone", "b"}, {"host", "b1"}, {"disk", "ssd"}}}},
    {.metadata = {.name = "c1", .labels = {{"zone", "c"}, {"host", "c1"}}},
     .spec = {.taints = {{"spot", "", TaintEffect::no_schedule}}}},
    {.metadata = {.name = "none", .labels = {{"host", "none"}}}}};

Pod pod(std::string node, Labels labels = {{"app", "web"}}) {
  Pod made;
  made.metadata = {.namespace_ = "shop", .labels = std::move(labels)};
  made.spec.node_name = std::move(node);
  return made;
}

TopologySpreadConstraint over(std::string key, std::int32_t max_skew = 1) {
  return {.max_skew = max_skew,
          .topology_key = std::move(key),
          .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule,
          .label_selector = LabelSelector{.match_labels = {{"app", "web"}}}};
}

template <class Change>
TopologySpreadConstraint changed(TopologySpreadConstraint constraint, Change change) {
  change(constraint);
  return constraint;
}

BoundPods bound(const Pods& pods) {
  BoundPods bound;
  for (Node node : nodes) {
    node.status.allocatable = {{"pods", *schedpol::Quantity::parse("110")}};
    bound.add_node(node);
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    Pod named = pods[i];
    named.metadata.name = std::to_string(i);
    CHECK(bound.bind(named, named.spec.node_name).empty());
  }
  return bound;
}

/// The names of the nodes that can take the pod; the rule as it is written down says the same.
std::string taking(const Pod& pod, const Pods& pods) {
  const BoundPods there = bound(pods);
  const auto fit = there.fit(pod);
  REQUIRE(fit);
  const PlainSpread plain(pod, nodes, pods);
  std::string names;
  for (const Node& node : nodes) {
    CAPTURE(node.metadata.name);
    const std::size_t number = *there.nodes().find(node.metadata.name);
    const Spread wanted = plain.on(node);
    CHECK(fit->missing_topology_key.contains(number) == (wanted == Spread::missing_label));
    CHECK(fit->too_much_skew.contains(number) == (wanted == Spread::too_much_skew));
    if (fit->feasible.contains(number)) names += (names.empty() ? "" : " ") + node.metadata.name;
  }
  return names;
}

TEST_CASE("a node can take a pod where no constraint gets too much skew") {
  const Pods two_a_one_b = {pod("a1"), pod("a2"), pod("b1")};
  const auto with = [](auto member, auto value) {
    return [member, value](TopologySpreadConstraint& c) { c.*member = value; };
  };
  using C = TopologySpreadConstraint;
  struct Case {
    std::string name;
    Constraints constraints;
    Pods pods;
    std::string taking;
  };
  const auto in_phase = [](std::string phase, Pod made) {
    made.status.phase = std::move(phase);
    return made;
  };
  Pod terminating = pod("a1");
  terminating.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
  Pod elsewhere = pod("a1");
  elsewhere.metadata.namespace_ = "x";
  const Case cases[] = {
      {"no constraints", {}, two_a_one_b, "a1 a2 b1 c1 none"},
      {"zones, the emptiest only", {over("zone")}, two_a_one_b, "c1"},
      {"a skew of two", {over("zone", 2)}, two_a_one_b, "b1 c1"},
      {"a skew of three", {over("zone", 3)}, two_a_one_b, "a1 a2 b1 c1"},
      {"no pods yet", {over("zone")}, {}, "a1 a2 b1 c1"},
      {"hosts", {over("host")}, {pod("a1"), pod("c1")}, "a2 b1 none"},
      {"a key of no node", {over("rack")}, {}, ""},
      {"both of two; nodes without a key do not count",
       {over("zone"), over("host")},
       {pod("a1"), pod("b1"), pod("c1")},
       "a2"},
      {"each counts from its own emptiest domain",
       {over("zone"), over("host")},
       {pod("a1"), pod("a2"), pod("b1"), pod("c1")},
       "b1 c1"},
      {"may as well be scheduled anyway",
       {changed(over("zone"),
                with(&C::when_unsatisfiable,
                     OpenEnum<WhenUnsatisfiable>(WhenUnsatisfiable::schedule_anyway)))},
       two_a_one_b,
       "a1 a2 b1 c1 none"},
      {"fewer domains than there must be",
       {changed(over("zone"), with(&C::min_domains, 4))},
       {pod("a1"), pod("b1"), pod("c1")},
       ""},
      {"as many domains as there must be",
       {changed(over("zone"), with(&C::min_domains, 3))},
       {pod("a1"), pod("b1"), pod("c1")},
       "a1 a2 b1 c1"},
      {"untolerated taints honored: c is no domain",
       {changed(over("zone"), with(&C::node_taints_policy,
                                   OpenEnum<NodeInclusionPolicy>(NodeInclusionPolicy::honor)))},
       two_a_one_b,
       "b1 c1"},
      {"an absent selector counts none",
       {changed(over("zone"), with(&C::label_selector, std::optional<LabelSelector>()))},
       two_a_one_b,
       "a1 a2 b1 c1"},
      {"neither does {}",
       {changed(over("zone"), with(&C::label_selector, std::optional(LabelSelector{})))},
       two_a_one_b,
       "a1 a2 b1 c1"},
      {"a selector of expressions alone counts",
       {changed(over("zone"),
                with(&C::label_selector,
                     std::optional(LabelSelector{
                         .match_expressions = {{"app", LabelSelectorOperator::in, {"web"}}}})))},
       two_a_one_b,
       "c1"},
      {"of a single domain its own pods are the fewest",
       {changed(over("disk"), with(&C::min_domains, std::optional<std::int32_t>()))},
       {pod("a1"), pod("b1"), pod("b1")},
       "a1 b1"},
      {"the pod's value of each key counts",
       {changed(over("zone"), with(&C::match_label_keys, schedpol::Texts{"app", "hash"}))},
       {pod("a1", {{"app", "web"}, {"hash", "1"}}), pod("b1", {{"app", "web"}, {"hash", "2"}})},
       "b1 c1"},
      {"the pod's value of a key counts",
       {changed(over("zone"), with(&C::match_label_keys, schedpol::Texts{"hash", "none"}))},
       {pod("a1", {{"app", "web"}, {"hash", "1"}}), pod("b1", {{"app", "web"}, {"hash", "2"}})},
       "b1 c1"},
      {"not counted",
       {over("zone")},
       {terminating, elsewhere, in_phase("Succeeded", pod("a1")), in_phase("Failed", pod("a1")),
        pod("a1", {{"app", "db"}}), pod("none"), pod("gone"), pod("")},
       "a1 a2 b1 c1"},
      {"pending and running count",
       {over("zone")},
       {in_phase("Pending", pod("a1")), in_phase("Running", pod("b1"))},
       "c1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod incoming = pod("", {{"app", "web"}, {"hash", "1"}});
    incoming.spec.topology_spread_constraints = c.constraints;
    CHECK(taking(incoming, c.pods) == c.taking);
  }
}

TEST_CASE(
    "nodes that the pod's affinity excludes are no domains unless the constraint ignores it") {
  Pod incoming = pod("");
  incoming.spec.node_selector = {{"disk", "ssd"}};
  incoming.spec.topology_spread_constraints = {over("zone")};
  const Pods pods = {pod("a1"), pod("b1")};
  CHECK(taking(incoming, pods) == "a1 a2 b1 c1");
  CHECK(taking(incoming, {pod("a2"), pod("b1")}) == "a1 a2 c1");
  incoming.spec.topology_spread_constraints[0].node_affinity_policy = NodeInclusionPolicy::ignore;
  CHECK(taking(incoming, pods) == "c1");
  incoming.spec.topology_spread_constraints[0].node_affinity_policy = NodeInclusionPolicy::honor;
  CHECK(taking(incoming, pods) == "a1 a2 b1 c1");
}

TEST_CASE("a pod that does not match its own constraint adds nothing to the skew") {
  Pod incoming = pod("", {{"app", "db"}});
  incoming.spec.topology_spread_constraints = {over("zone")};
  CHECK(taking(incoming, {pod("a1")}) == "a1 a2 b1 c1");
  CHECK(taking(incoming, {pod("a1"), pod("a1")}) == "b1 c1");
}

TEST_CASE("a constraint that is only wished for keeps no node out") {
  Pod incoming = pod("");
  incoming.spec.topology_spread_constraints = {over("rack"), over("zone")};
  incoming.spec.topology_spread_constraints[0].when_unsatisfiable =
      WhenUnsatisfiable::schedule_anyway;
  CHECK(taking(incoming, {pod("a1"), pod("a2")}) == "b1 c1");
}

TEST_CASE("a selector that cannot be used is reported where it stands") {
  Pod incoming = pod("");
  incoming.spec.topology_spread_constraints = {over("zone"), over("zone")};
  incoming.spec.topology_spread_constraints[1].label_selector->match_expressions = {
      {"app", LabelSelectorOperator::in, {}}};
  const auto spread = BoundPods(nodes).fit(incoming);
  REQUIRE(!spread);
  REQUIRE(spread.errors().size() == 1);
  CHECK(spread.errors()[0].field ==
        "spec.topologySpreadConstraints[1].labelSelector.matchExpressions[0].values");
}

}  // namespace topology_spread_test
