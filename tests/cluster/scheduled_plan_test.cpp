// SPDX-License-Identifier: Apache-2.0
// Where replicas go as kube-scheduler would place them beside the pods that are there.
#include <schedpol/cluster/plan.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace scheduled_plan_test {

using Names = std::vector<std::string>;

ResourceList amounts(const char* cpu, const char* pods) {
  return {{"cpu", *Quantity::parse(cpu)}, {"pods", *Quantity::parse(pods)}};
}

Node node(std::string name, const char* cpu = "8") {
  return {.metadata = {.name = name, .labels = {{"host", name}}},
          .status = {.allocatable = amounts(cpu, "10")}};
}

Pod workload(PodKind kind = PodKind::deployment) {
  Pod pod{.kind = kind,
          .metadata = {.name = "web", .namespace_ = "shop", .labels = {{"app", "web"}}}};
  pod.spec.containers = {{.resources = {.requests = amounts("1", "1")}}};
  return pod;
}

std::vector<ResourcePolicy> policies(std::vector<std::pair<std::string, int>> hosts) {
  ResourcePolicy policy{.metadata = {.name = "r", .namespace_ = "shop"}};
  policy.spec.pod_selector = LabelSelector{};
  policy.spec.strategy = Strategy::required;
  for (const auto& [host, most] : hosts) {
    policy.spec.units.push_back({.name = host,
                                 .priority = 5 - static_cast<int>(policy.spec.units.size()),
                                 .max_count = most,
                                 .node_selector = LabelSelector{.match_labels = {{"host", host}}}});
  }
  return {policy};
}

Plan planned(const std::vector<Node>& nodes, const Pod& pod, int replicas,
             const std::vector<ResourcePolicy>& policies = {},
             const std::vector<std::pair<Pod, std::string>>& there = {}) {
  BoundPods pods(nodes);
  Cluster cluster(*compile(policies), nodes, {});
  std::vector<Pod> running;
  for (const auto& [bound, on] : there) {
    REQUIRE(pods.bind(bound, on).empty());
    cluster.bind(bound, on);
    running.push_back(bound);
  }
  const auto plan = resource_policy::plan(cluster, pods, pod, replicas, running);
  REQUIRE(plan);
  return *plan;
}

/// The nodes, and of a replica without one why.
Names places(const Plan& plan) {
  Names places;
  for (const Placement& placement : plan.placements)
    places.push_back(placement.node.empty() ? placement.message : placement.node);
  return places;
}

TEST_CASE("a replica goes to a node that the filters leave, of those to the policy's best") {
  const std::vector<Node> nodes = {node("a", "1"), node("b"), node("c")};
  const auto both = policies({{"a", 2}, {"b", 1}});
  const Plan plan = planned(nodes, workload(), 3, both);
  CHECK(
      places(plan) ==
      Names{"a", "b", "0/3 nodes are available: 1 Insufficient cpu, 1 NodeNotInUnit, 1 UnitFull."});
  CHECK(plan.placements[0].unit == 0);
  CHECK(plan.placements[1].deletion_cost == 80);
  CHECK(plan.placements[2].reason == Reason::unit_full);
  CHECK(plan.scale_down == Names{"web-1", "web-0"});
}

TEST_CASE("without a policy a replica goes to a node of the highest score of kube-scheduler") {
  const NodeSelectorTerm on_c{.match_expressions = {{"host", NodeSelectorOperator::in, {"c"}}}};
  const PodAffinityTerm beside_db{.label_selector = LabelSelector{.match_labels = {{"app", "db"}}},
                                  .topology_key = "host"};
  Pod db = workload(PodKind::pod);
  db.metadata = {.name = "db", .namespace_ = "shop", .labels = {{"app", "db"}}};
  std::vector<Node> nodes = {node("a"), node("b"), node("c")};

  CHECK(places(planned(nodes, workload(), 4)) == Names{"a", "b", "c", "a"});  // what is left
  CHECK(places(planned(nodes, workload(), 2, {}, {{db, "a"}})) == Names{"b", "c"});

  Pod pod = workload();
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .preferred_during_scheduling_ignored_during_execution = {{.weight = 1, .preference = on_c}};
  CHECK(places(planned(nodes, pod, 1)) == Names{"c"});

  pod.spec.affinity = Affinity{};
  pod.spec.affinity->pod_affinity.emplace().preferred_during_scheduling_ignored_during_execution = {
      {.weight = 1, .pod_affinity_term = beside_db}};
  CHECK(places(planned(nodes, pod, 1, {}, {{db, "b"}})) == Names{"b"});

  nodes[0].spec.taints = {{"gpu", "", TaintEffect::prefer_no_schedule}};
  CHECK(places(planned(nodes, workload(), 1)) == Names{"b"});

  // A taint weighs more than what either affinity prefers, and both of these more than a taint.
  const auto prefers = [](Affinity& affinity, const NodeSelectorTerm& term) {
    affinity.node_affinity.emplace().preferred_during_scheduling_ignored_during_execution = {
        {.weight = 1, .preference = term}};
  };
  const NodeSelectorTerm on_a{.match_expressions = {{"host", NodeSelectorOperator::in, {"a"}}}};
  const std::vector<std::pair<Pod, std::string>> beside_a = {{db, "a"}};
  CHECK(places(planned(nodes, pod, 1, {}, beside_a)) == Names{"b"});
  prefers(*pod.spec.affinity, on_a);
  CHECK(places(planned(nodes, pod, 1, {}, beside_a)) == Names{"a"});
  pod.spec.affinity->pod_affinity.reset();
  CHECK(places(planned(nodes, pod, 1)) == Names{"b"});
}

TEST_CASE("of a DaemonSet each node that its controller picks has a replica") {
  std::vector<Node> nodes = {node("a"), node("b"), node("c"), node("d", "0"), node("e")};
  nodes[1].spec.unschedulable = true;
  nodes[2].spec.taints = {{"gpu", "", TaintEffect::no_schedule}};
  nodes[4].metadata.labels.clear();
  Pod pod = workload(PodKind::daemon_set);
  const NodeSelectorTerm has_host{
      .match_expressions = {{"host", NodeSelectorOperator::exists, {}}}};
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = NodeSelector{{has_host}};
  const Plan plan = planned(nodes, pod, 0);
  CHECK(places(plan) ==
        Names{"a", "b",
              "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) "
              "[NodeAffinity]."});
  CHECK(plan.scale_down.empty());
}

TEST_CASE("what is scaled down first depends on who does it") {
  const std::vector<Node> nodes = {node("a"), node("b")};
  const auto both = policies({{"b", 1}, {"a", 2}});
  const struct {
    PodKind kind;
    Names wanted;
  } cases[] = {{PodKind::deployment, {"web-2", "web-1", "web-0"}},
               {PodKind::stateful_set, {"web-2", "web-1", "web-0"}},
               {PodKind::job, {}},
               {PodKind::cron_job, {}}};
  for (const auto& [kind, wanted] : cases) {
    CAPTURE(to_string(kind));
    CHECK(planned(nodes, workload(kind), 3, both).scale_down == wanted);
  }
}

TEST_CASE("replicas that wait, and pods that several policies select, get no node") {
  const std::vector<Node> nodes = {node("a")};
  Pod gated = workload();
  gated.spec.scheduling_gates = {{"quota"}};
  CHECK(places(planned(nodes, gated, 1)) ==
        Names{"Scheduling is blocked due to non-empty scheduling gates"});
  auto two = policies({{"a", 1}});
  two.push_back(two[0]);
  two[1].metadata.name = "s";
  const Plan plan = planned(nodes, workload(), 1, two);
  CHECK(places(plan) == Names{"0/1 nodes are available: MultipleResourcePolicies."});
  CHECK(plan.placements[0].reason == Reason::multiple_resource_policies);
  CHECK(planned(nodes, workload(), -1).placements.empty());
}

/// A pod that the controller of that kind and name made; of nobody without one.
Pod running(std::string name, const char* cpu, std::string kind = "", std::string owner = "web") {
  Pod pod = workload(PodKind::pod);
  pod.metadata.name = std::move(name);
  pod.spec.containers[0].resources.requests = amounts(cpu, "1");
  if (!kind.empty())
    pod.metadata.owner_references = {
        {.api_version = "apps/v1", .kind = std::move(kind), .name = std::move(owner)}};
  for (OwnerReference& each : pod.metadata.owner_references) each.controller = true;
  return pod;
}

TEST_CASE("a replica never takes the place of a bound pod") {
  const std::vector<Node> nodes = {node("a", "4"), node("b", "4")};
  Pod pod = workload();
  pod.spec.containers[0].resources.requests = amounts("3", "1");
  const Plan plan = planned(nodes, pod, 2, {}, {{running("web-0", "2"), "a"}});
  REQUIRE(plan.placements.size() == 2);
  CHECK(plan.placements[0].pod == "web-1");
  CHECK(plan.placements[1].pod == "web-2");
  CHECK(places(plan) == Names{"b", "0/2 nodes are available: 2 Insufficient cpu."});
}

TEST_CASE("the replicas of a StatefulSet that run stay where they are") {
  const std::vector<Node> nodes = {node("a", "4"), node("b", "4")};
  Pod pod = workload(PodKind::stateful_set);
  pod.spec.containers[0].resources.requests = amounts("3", "1");
  Pod failed = running("web-1", "3", "StatefulSet");
  failed.status.phase = "Failed";
  Pod core = running("web-0", "3", "StatefulSet");
  core.metadata.owner_references[0].api_version = "example.org/v1";
  Pod shared = running("web-0", "3", "StatefulSet");
  shared.metadata.owner_references[0].controller = false;
  Pod elsewhere = running("web-0", "3", "StatefulSet");
  elsewhere.metadata.namespace_ = "other";
  const std::string taken = "pod `web-0` is there and is not the StatefulSet's";
  const struct {
    std::string name;
    std::vector<std::pair<Pod, std::string>> there;
    Names wanted;
  } cases[] = {
      {"both",
       {{running("web-0", "3", "StatefulSet"), "b"}, {running("web-1", "3", "StatefulSet"), "a"}},
       {"b", "a"}},
      {"the second", {{running("web-1", "3", "StatefulSet"), "a"}}, {"b", "a"}},
      {"on a node that is not listed", {{running("web-0", "3", "StatefulSet"), "z"}}, {"z", "a"}},
      {"one that has run", {{failed, "a"}}, {"a", "b"}},
      {"nobody's", {{running("web-0", "1"), "b"}}, {taken, "a"}},
      {"another StatefulSet's", {{running("web-0", "1", "StatefulSet", "db"), "b"}}, {taken, "a"}},
      {"a ReplicaSet's", {{running("web-0", "1", "ReplicaSet"), "b"}}, {taken, "a"}},
      {"that of another group", {{core, "b"}}, {taken, "a"}},
      {"owned, not controlled", {{shared, "b"}}, {taken, "a"}},
      {"in another namespace",
       {{elsewhere, "b"}},
       {"a", "0/2 nodes are available: 2 Insufficient cpu."}},
      {"beyond the replicas",
       {{running("web-2", "3", "StatefulSet"), "a"}},
       {"b", "0/2 nodes are available: 2 Insufficient cpu."}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(places(planned(nodes, pod, 2, {}, c.there)) == c.wanted);
  }
}

TEST_CASE("a replica that stays says its unit and its deletion cost") {
  const std::vector<Node> nodes = {node("a"), node("b")};
  const Plan plan =
      planned(nodes, workload(PodKind::stateful_set), 2, policies({{"a", 1}, {"b", 1}}),
              {{running("web-0", "1", "StatefulSet"), "b"}});
  CHECK(places(plan) == Names{"b", "a"});
  CHECK(plan.placements[0].unit == 1);
  CHECK(plan.placements[0].deletion_cost == 80);
  CHECK(plan.placements[1].deletion_cost == 100);
  CHECK(plan.scale_down == Names{"web-1", "web-0"});
}

TEST_CASE("the pods of a DaemonSet stay on their nodes") {
  const std::vector<Node> nodes = {node("a", "1"), node("b", "1"), node("c", "1")};
  const Plan plan =
      planned(nodes, workload(PodKind::daemon_set), 0, {},
              {{running("web-x", "1", "DaemonSet"), "b"}, {running("web-1", "1"), "c"}});
  CHECK(places(plan) ==
        Names{"a", "b",
              "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy "
              "plugin(s) [NodeAffinity]."});
  CHECK(plan.placements[1].pod == "web-x");
  CHECK(plan.placements[2].pod == "web-2");
}

}  // namespace scheduled_plan_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
