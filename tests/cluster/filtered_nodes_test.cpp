// SPDX-License-Identifier: Apache-2.0
// Which nodes kube-scheduler's filters leave to a pod, and what it says of the others.
#include <schedpol/cluster/bound_pods.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE {
namespace filtered_nodes_test {

ResourceList amounts(const char* cpu, const char* pods) {
  return {{"cpu", *Quantity::parse(cpu)}, {"pods", *Quantity::parse(pods)}};
}

Node node(std::string name) {
  return {.metadata = {.name = name, .labels = {{"host", name}}},
          .status = {.allocatable = amounts("4", "4")}};
}

Pod pod(std::string name, Labels labels = {}) {
  Pod pod{.metadata = {.name = std::move(name), .labels = std::move(labels)}};
  pod.spec.containers = {{.resources = {.requests = amounts("1", "1")}}};
  return pod;
}

PodAffinityTerm with(std::string app) {
  return {.label_selector = LabelSelector{.match_labels = {{"app", std::move(app)}}},
          .topology_key = "host"};
}

NodeSelectorTerm named(std::vector<std::string> names) {
  NodeSelectorTerm term;
  for (std::string& name : names)
    term.match_fields.push_back({"metadata.name", NodeSelectorOperator::in, {std::move(name)}});
  return term;
}

Affinity on(std::vector<NodeSelectorTerm> terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}

std::string said(const BoundPods& pods, const Pod& asked) {
  const Result<FilteredNodes> filtered = pods.filter(asked);
  REQUIRE(filtered);
  std::string names;
  for (const std::size_t number : filtered->feasible)
    names += (names.empty() ? "" : " ") + std::string(pods.nodes().name(number));
  return names.empty() ? message(*filtered, pods.nodes().nodes().size()) : names;
}

TEST_CASE("a node counts for the first filter that keeps the pod from it") {
  // Each node fails what stands after its own fault, too.
  const auto faulty = [](std::string name) {
    Node made = node(std::move(name));
    made.status.allocatable = amounts("0", "1");
    made.metadata.labels.clear();
    return made;
  };
  std::vector<Node> nodes;
  for (const char* name : {"cordoned", "tainted", "other", "full"}) nodes.push_back(faulty(name));
  nodes[0].spec.unschedulable = true;
  for (const std::size_t i : {0, 1}) nodes[i].spec.taints = {{"gpu", "", TaintEffect::no_schedule}};
  for (const std::size_t i : {0, 1, 2}) nodes[i].metadata.labels["pool"] = "b";
  nodes[3].metadata.labels["pool"] = "a";
  nodes.push_back(node("without a zone"));
  nodes[4].metadata.labels = {{"pool", "a"}};
  BoundPods pods(nodes);
  REQUIRE(pods.bind(pod("there"), "full").empty());
  Pod asked = pod("asked");
  asked.spec.node_selector = {{"pool", "a"}};
  asked.spec.topology_spread_constraints = {
      {.max_skew = 1,
       .topology_key = "zone",
       .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule}};
  CHECK(
      said(pods, asked) ==
      "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, 1 node(s) didn't match Pod's "
      "node affinity/selector, 1 node(s) didn't match pod topology spread constraints (missing "
      "required label), 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.");
  asked.spec.node_name = "full";
  CHECK(said(pods, asked) ==
        "0/5 nodes are available: 1 Insufficient cpu, 1 Too many pods, 4 node(s) didn't match the "
        "requested node name.");
}

TEST_CASE("being unschedulable is tolerated as a taint, and is none besides") {
  std::vector<Node> nodes = {node("a")};
  nodes[0].spec.unschedulable = true;
  Pod asked = pod("asked");
  asked.spec.tolerations = {
      {.key = unschedulable_taint().key, .operator_ = TolerationOperator::exists}};
  CHECK(said(BoundPods(nodes), asked) == "a");
  nodes[0].spec.taints = {{"gpu", "", TaintEffect::no_execute}};
  CHECK(said(BoundPods(nodes), asked) ==
        "0/1 nodes are available: 1 node(s) had untolerated taint(s).");
  nodes[0].spec.taints = {{"gpu", "", TaintEffect::prefer_no_schedule}};
  CHECK(said(BoundPods(nodes), asked) == "a");
}

TEST_CASE("other nodes than those that every term names are not looked at") {
  const std::vector<Node> nodes = {node("a"), node("b"), node("c")};
  const BoundPods pods(nodes);
  const std::string others = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
  const NodeSelectorTerm any_host{
      .match_expressions = {{"host", NodeSelectorOperator::exists, {}}}};
  NodeSelectorTerm nowhere = named({"b"});
  nowhere.match_expressions = {{"host", NodeSelectorOperator::does_not_exist, {}}};
  const struct {
    std::vector<NodeSelectorTerm> terms;
    std::string wanted;
  } cases[] = {
      {{named({"b"})}, "b"},
      {{named({"b"}), named({"a"})}, "a b"},
      {{named({"b"}), any_host}, "a b c"},
      {{named({"gone"})}, "0/3 nodes are available: 3 " + others + "."},
      {{nowhere},
       "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 2 " + others +
           "."},
      {{named({"a", "b"})}, "0/3 nodes are available: pod affinity terms conflict."},
      {{named({"a", "b"}), named({"c"})}, "c"},
      {{}, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector."},
  };
  for (const auto& [terms, wanted] : cases) {
    CAPTURE(wanted);
    Pod asked = pod("asked");
    asked.spec.affinity = on(terms);
    CHECK(said(pods, asked) == wanted);
  }
}

TEST_CASE("pods that are there keep others away by their affinity and that of the others") {
  const std::vector<Node> nodes = {node("a"), node("b")};
  BoundPods pods(nodes);
  Pod there = pod("there", {{"app", "db"}});
  there.spec.affinity.emplace()
      .pod_anti_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {with("web")};
  REQUIRE(pods.bind(there, "a").empty());
  CHECK(said(pods, pod("asked", {{"app", "web"}})) == "b");
  Pod asked = pod("asked");
  asked.spec.affinity.emplace()
      .pod_anti_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {with("db")};
  CHECK(said(pods, asked) == "b");
  asked.metadata.labels = {{"app", "web"}};
  asked.spec.affinity->pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {with("web")};
  asked.spec.affinity->pod_anti_affinity.reset();
  REQUIRE(pods.bind(pod("other", {{"app", "web"}}), "a").empty());
  CHECK(said(pods, asked) ==
        "0/2 nodes are available: 1 node(s) didn't match pod affinity rules, 1 node(s) didn't "
        "satisfy "
        "existing pods anti-affinity rules.");
}

TEST_CASE("what is wrong with a pod's terms is an error, and a pod without nodes has none") {
  Pod asked = pod("asked");
  CHECK(said(BoundPods(), asked) == "0/0 nodes are available:");
  asked.spec.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {
      {.label_selector =
           LabelSelector{
               .match_expressions = {{.key = "a",
                                      .operator_ = OpenEnum<LabelSelectorOperator>("Like")}}},
       .topology_key = "host"}};
  CHECK_FALSE(BoundPods().filter(asked));
}

}  // namespace filtered_nodes_test
}  // namespace SCHEDPOL_NAMESPACE
