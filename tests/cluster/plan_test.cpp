// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/plan.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace plan_test {

using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::Node;
using schedpol::Pod;
using schedpol::Quantity;
using schedpol::ResourceList;
using schedpol::resource_policy::Cluster;
using schedpol::resource_policy::Code;
using schedpol::resource_policy::compile;
using schedpol::resource_policy::Placement;
using schedpol::resource_policy::Plan;
using schedpol::resource_policy::plan;
using schedpol::resource_policy::Reason;
using schedpol::resource_policy::ResourcePolicy;
using schedpol::resource_policy::Strategy;
using schedpol::resource_policy::Unit;
using Strings = std::vector<std::string>;

static_assert(std::is_aggregate_v<Placement>);
static_assert(std::is_aggregate_v<Plan>);
static_assert(std::equality_comparable<Placement>);
static_assert(std::equality_comparable<Plan>);
static_assert(std::is_nothrow_move_constructible_v<Plan>);

LabelSelector pool(std::string name) {
  return {.match_labels = {{"pool", std::move(name)}}};
}

Node node(std::string name, std::string pool) {
  return {.metadata = {.name = std::move(name), .labels = {{"pool", std::move(pool)}}}};
}

Pod pod(std::string name, Labels labels = {{"app", "web"}}, std::string node = "") {
  return {.metadata = {.name = std::move(name), .namespace_ = "shop", .labels = std::move(labels)},
          .spec = {.node_name = std::move(node)}};
}

ResourcePolicy policy(Strategy strategy, std::vector<Unit> units, std::string name = "web") {
  return {.metadata = {.name = std::move(name), .namespace_ = "shop"},
          .spec = {.pod_selector = LabelSelector{.match_labels = {{"app", "web"}}},
                   .strategy = strategy,
                   .units = std::move(units)}};
}

Cluster planned_cluster(const std::vector<ResourcePolicy>& policies, const std::vector<Node>& nodes,
                        const std::vector<Pod>& pods = {}) {
  auto compiled = compile(policies);
  REQUIRE(static_cast<bool>(compiled));
  return Cluster(*std::move(compiled), nodes, pods);
}

/// `web-0: fixed-1 in 0, 100`, or `web-4: Unschedulable UnitFull`, with the deletion cost last.
Strings said(const Plan& plan) {
  Strings lines;
  for (const Placement& placement : plan.placements) {
    std::string line = placement.pod + ": ";
    if (placement.code == Code::success) {
      CHECK(placement.reason == Reason::none);
      CHECK(!placement.node.empty());
      line += placement.node;
      if (placement.unit) line += " in " + std::to_string(*placement.unit);
      line += ", " + std::to_string(placement.deletion_cost);
    } else {
      CHECK(placement.node.empty());
      CHECK(!placement.unit.has_value());
      CHECK(placement.deletion_cost == 0);
      line += to_string(placement.code);
      if (placement.reason != Reason::none) line.append(" ").append(to_string(placement.reason));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

const std::vector<Node> nodes = {node("spot-1", "spot"), node("fixed-1", "fixed"),
                                 node("fixed-2", "fixed"), node("spot-2", "spot"),
                                 node("other-1", "other")};

const Unit fixed = {.name = "fixed", .priority = 5, .max_count = 3, .node_selector = pool("fixed")};
const Unit spot = {.name = "spot", .priority = 2, .max_count = 2, .node_selector = pool("spot")};

TEST_CASE(
    "static instances come first, spot instances at the peak, and spot is scaled down first") {
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed, spot})}, nodes);
  const Plan planned = plan(cluster, nodes, pod("web"), 6);
  CHECK(said(planned) == Strings{"web-0: fixed-1 in 0, 100", "web-1: fixed-2 in 0, 100",
                                 "web-2: fixed-1 in 0, 100", "web-3: spot-1 in 1, 40",
                                 "web-4: spot-2 in 1, 40", "web-5: Unschedulable UnitFull"});
  CHECK(planned.scale_down == Strings{"web-4", "web-3", "web-2", "web-1", "web-0"});
}

TEST_CASE("under prefer the nodes outside the units come last and are scaled down first") {
  const Cluster cluster = planned_cluster({policy(Strategy::prefer, {spot, fixed})}, nodes);
  const Plan planned = plan(cluster, nodes, pod("web"), 7);
  CHECK(said(planned) == Strings{"web-0: fixed-1 in 1, 100", "web-1: fixed-2 in 1, 100",
                                 "web-2: fixed-1 in 1, 100", "web-3: spot-1 in 0, 40",
                                 "web-4: spot-2 in 0, 40", "web-5: other-1, -20",
                                 "web-6: other-1, -20"});
  CHECK(planned.scale_down ==
        Strings{"web-6", "web-5", "web-4", "web-3", "web-2", "web-1", "web-0"});
}

TEST_CASE("units of one priority are filled side by side, and the fewest come first") {
  Unit equal = spot;
  equal.priority = fixed.priority;
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed, equal})}, nodes);
  const Plan planned = plan(cluster, nodes, pod("web"), 5);
  CHECK(said(planned) == Strings{"web-0: spot-1 in 1, 100", "web-1: fixed-1 in 0, 100",
                                 "web-2: fixed-2 in 0, 100", "web-3: spot-2 in 1, 100",
                                 "web-4: fixed-1 in 0, 100"});
  CHECK(planned.scale_down == Strings{"web-4", "web-3", "web-2", "web-1", "web-0"});
}

TEST_CASE("what runs already takes its place") {
  const std::vector<Pod> pods = {
      pod("web-a", {{"app", "web"}}, "fixed-1"), pod("web-b", {{"app", "web"}}, "fixed-1"),
      pod("db", {{"app", "db"}}, "fixed-2"), pod("web-c", {{"app", "web"}}, "spot-1")};
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed, spot})}, nodes, pods);
  CHECK(said(plan(cluster, nodes, pod("web"), 3)) == Strings{"web-0: fixed-1 in 0, 100",
                                                             "web-1: spot-1 in 1, 40",
                                                             "web-2: Unschedulable UnitFull"});
}

TEST_CASE("a replica that runs already does not stand in its own way") {
  Unit one = fixed;
  one.max_count = 1;
  const Cluster cluster = planned_cluster({policy(Strategy::required, {one})}, nodes,
                                          {pod("web-0", {{"app", "web"}}, "fixed-2")});
  CHECK(said(plan(cluster, nodes, pod("web"), 2)) ==
        Strings{"web-0: fixed-1 in 0, 100", "web-1: Unschedulable UnitFull"});
}

TEST_CASE("a replica that runs in a better unit already outlives those that come before it") {
  Unit one = fixed;
  one.max_count = 1;
  const Cluster cluster = planned_cluster({policy(Strategy::required, {one, spot})}, nodes,
                                          {pod("web-1", {{"app", "web"}}, "fixed-2")});
  const Plan planned = plan(cluster, nodes, pod("web"), 3);
  CHECK(said(planned) ==
        Strings{"web-0: spot-1 in 1, 40", "web-1: fixed-1 in 0, 100", "web-2: spot-2 in 1, 40"});
  CHECK(planned.scale_down == Strings{"web-2", "web-0", "web-1"});
}

TEST_CASE("a replica that goes nowhere says whether room in a unit would have helped") {
  Unit full = fixed;
  full.max_count = 0;
  const std::vector<ResourcePolicy> one = {policy(Strategy::required, {full})};
  const std::vector<ResourcePolicy> two = {policy(Strategy::required, {fixed}),
                                           policy(Strategy::prefer, {spot}, "web-too")};
  const Node in_unit = node("fixed-1", "fixed");
  const Node outside = node("other-1", "other");
  struct Case {
    std::string name;
    std::vector<ResourcePolicy> policies;
    std::vector<Node> nodes;
    std::string wanted;
  };
  const Case cases[] = {
      {"a full unit", one, {in_unit}, "Unschedulable UnitFull"},
      {"no unit", one, {outside}, "UnschedulableAndUnresolvable NodeNotInUnit"},
      {"a full unit last", one, {outside, in_unit}, "Unschedulable UnitFull"},
      {"a full unit first", one, {in_unit, outside}, "Unschedulable UnitFull"},
      {"a full unit in between", one, {outside, in_unit, outside}, "Unschedulable UnitFull"},
      {"no nodes", one, {}, "UnschedulableAndUnresolvable"},
      {"no nodes, no policies", {}, {}, "UnschedulableAndUnresolvable"},
      {"two policies",
       two,
       {in_unit, outside},
       "UnschedulableAndUnresolvable MultipleResourcePolicies"},
      {"two policies, no nodes", two, {}, "UnschedulableAndUnresolvable MultipleResourcePolicies"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Plan planned = plan(planned_cluster(c.policies, c.nodes), c.nodes, pod("web"), 2);
    CHECK(said(planned) == Strings{"web-0: " + c.wanted, "web-1: " + c.wanted});
    CHECK(planned.scale_down == Strings{});
  }
}

TEST_CASE("pods that no policy selects are spread over all nodes") {
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed})}, nodes);
  const Plan planned = plan(cluster, nodes, pod("db", {{"app", "db"}}), 7);
  CHECK(said(planned) == Strings{"db-0: spot-1, 0", "db-1: fixed-1, 0", "db-2: fixed-2, 0",
                                 "db-3: spot-2, 0", "db-4: other-1, 0", "db-5: spot-1, 0",
                                 "db-6: fixed-1, 0"});
  CHECK(planned.scale_down == Strings{"db-6", "db-5", "db-4", "db-3", "db-2", "db-1", "db-0"});
}

TEST_CASE("a node that is listed twice is one node") {
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed})}, nodes);
  const std::vector<Node> once = {nodes[0], nodes[1]};
  const std::vector<Node> twice = {nodes[0], nodes[0], nodes[1]};
  const Pod db = pod("db", {{"app", "db"}});
  CHECK(plan(cluster, twice, db, 4) == plan(cluster, once, db, 4));
}

TEST_CASE("no replicas, and fewer than none, are no plan") {
  for (const std::int32_t replicas : {0, -1})
    CHECK(plan(planned_cluster({}, nodes), nodes, pod("web"), replicas) == Plan{});
}

TEST_CASE("only the nodes handed in are used, and the cluster stays as it was") {
  const Cluster cluster = planned_cluster({policy(Strategy::required, {fixed, spot})}, nodes);
  const std::vector<Node> one = {nodes[3]};
  CHECK(said(plan(cluster, one, pod("web"), 3)) == Strings{"web-0: spot-2 in 1, 40",
                                                           "web-1: spot-2 in 1, 40",
                                                           "web-2: Unschedulable UnitFull"});
  CHECK((cluster.prefilter(pod("probe")).counts() == std::vector<std::int64_t>{0, 0}));
  CHECK(plan(cluster, nodes, pod("web"), 6) == plan(cluster, nodes, pod("web"), 6));
}

TEST_CASE("each template has the units to itself where the policy says so") {
  ResourcePolicy by_hash = policy(Strategy::required, {fixed});
  by_hash.spec.match_label_keys = {"pod-template-hash"};
  const Labels old_labels = {{"app", "web"}, {"pod-template-hash", "old"}};
  const Labels new_labels = {{"app", "web"}, {"pod-template-hash", "new"}};
  const std::vector<Pod> pods = {pod("a", old_labels, "fixed-1"), pod("b", old_labels, "fixed-1"),
                                 pod("c", new_labels, "fixed-2")};
  const std::vector<Node> two = {nodes[1], nodes[2]};
  const Cluster cluster = planned_cluster({by_hash}, nodes, pods);
  CHECK(said(plan(cluster, two, pod("old", old_labels), 2)) ==
        Strings{"old-0: fixed-1 in 0, 100", "old-1: Unschedulable UnitFull"});
  CHECK(said(plan(cluster, two, pod("new", new_labels), 3)) ==
        Strings{"new-0: fixed-1 in 0, 100", "new-1: fixed-2 in 0, 100",
                "new-2: Unschedulable UnitFull"});
}

TEST_CASE("replicas go to a unit as far as its resources go") {
  const auto cpu = [](const char* text) {
    return ResourceList{{"cpu", Quantity::parse(text).value()}};
  };
  const std::vector<Node> some = {node("fixed-1", "fixed"), node("spot-1", "spot"),
                                  node("other", "none")};
  Pod web = pod("web");
  web.spec.containers = {{.resources = {.limits = cpu("500m")}}};
  const std::vector<Unit> units = {
      {.priority = 2, .max_resources = cpu("1200m"), .node_selector = pool("fixed")},
      {.max_count = 1, .node_selector = pool("spot")}};
  const Cluster cluster = planned_cluster({policy(Strategy::required, units)}, some);
  CHECK(said(plan(cluster, some, web, 4)) ==
        Strings{"web-0: fixed-1 in 0, 40", "web-1: fixed-1 in 0, 40", "web-2: spot-1 in 1, 0",
                "web-3: Unschedulable UnitResourcesExceeded"});
}

}  // namespace plan_test
