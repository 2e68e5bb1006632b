// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/as_created.hpp>

#include <schedpol/engine/engine.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/print.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace as_created_test {

using namespace schedpol;
using engine::as_created;
using engine::AskedAs;
using engine::CreatedObject;
using engine::NodeNamedBy;
using engine::Owners;
using engine::StoredObject;

Toleration existing(std::string key, TaintEffect effect, std::optional<std::int64_t> seconds = {}) {
  return {.key = std::move(key),
          .operator_ = TolerationOperator::exists,
          .effect = effect,
          .toleration_seconds = seconds};
}
const Toleration not_ready = existing("node.kubernetes.io/not-ready", TaintEffect::no_execute);
const Toleration not_ready_300 =
    existing("node.kubernetes.io/not-ready", TaintEffect::no_execute, 300);
const Toleration gpu = existing("nvidia.com/gpu", TaintEffect::no_schedule);

OwnerReference controller(std::string kind, std::string name) {
  const auto known = pod_kind(kind);
  return {.api_version = known ? std::string(api_version(*known)) : "example.com/v1",
          .kind = std::move(kind),
          .name = std::move(name),
          .controller = true};
}

Affinity on_node(std::vector<NodeSelectorRequirement> expressions = {}) {
  NodeSelectorTerm term{
      .match_expressions = std::move(expressions),
      .match_fields = {
          {.key = "metadata.name", .operator_ = NodeSelectorOperator::in, .values = {"node-1"}}}};
  NodeAffinity node;
  node.required_during_scheduling_ignored_during_execution = {{std::move(term)}};
  return {.node_affinity = std::move(node)};
}

// A running pod, as a cluster prints it.
StoredObject running(std::vector<OwnerReference> owners = {}) {
  Pod pod{.metadata = {.name = "web-5d4f8-x2x",
                       .namespace_ = "shop",
                       .uid = "1",
                       .labels = {{"pod-template-hash", "5d4f8"}},
                       .owner_references = std::move(owners)},
          .spec = {.scheduler_name = "default-scheduler",
                   .node_name = "node-1",
                   .priority = 1000,
                   .preemption_policy = "PreemptLowerPriority",
                   .tolerations = scheduling_policy::default_toleration_seconds()},
          .status = {.phase = "Running"}};
  return {.object = pod, .uid = "1", .creation_timestamp = "2026-01-01T00:00:00Z"};
}

// What its author asked for.
Pod asked_for(Pod pod) {
  pod.spec.node_name.clear();
  pod.spec.priority.reset();
  pod.spec.preemption_policy.clear();
  pod.spec.tolerations.clear();
  return pod;
}

Pod workload(PodKind kind, std::string name, PodSpec spec = {},
             std::vector<OwnerReference> owners = {}) {
  return {.kind = kind,
          .metadata = {.name = std::move(name),
                       .namespace_ = "shop",
                       .owner_references = std::move(owners)},
          .spec = std::move(spec)};
}

CreatedObject asked(const StoredObject& object, const std::vector<Pod>& workloads = {}) {
  return as_created(object, Owners(workloads));
}

TEST_CASE("what the API server and the scheduler put into a controlled pod is taken away") {
  const StoredObject stored = running({controller("ReplicaSet", "web-5d4f8")});
  const CreatedObject created = asked(stored);
  CHECK(created.as == AskedAs::created);
  CHECK(created.object == asked_for(stored.object));
}

TEST_CASE("what nobody stored is asked about as it stands") {
  StoredObject dry_run = running();
  struct Case {
    const char* name;
    void (*change)(StoredObject&);
  };
  const Case cases[] = {
      {"no uid", [](StoredObject& object) { object.uid.clear(); }},
      {"no creation timestamp", [](StoredObject& object) { object.creation_timestamp.clear(); }},
      {"a workload", [](StoredObject& object) { object.object.kind = PodKind::deployment; }},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StoredObject object = dry_run;
    c.change(object);
    CHECK(asked(object) == CreatedObject{AskedAs::it_stands, object.object});
  }
}

TEST_CASE("a pod that a node runs by itself, or that has run, is not looked at") {
  StoredObject mirror = running();
  mirror.object.metadata.annotations = {{"kubernetes.io/config.mirror", "x"}};
  CHECK(asked(mirror).as == AskedAs::mirror_pod);
  StoredObject done = running();
  done.object.status.phase = "Failed";
  CHECK(asked(done).as == AskedAs::terminal);
}

TEST_CASE("who named the node of a pod") {
  const std::vector<OwnerReference> none;
  const std::vector<OwnerReference> by_set = {controller("ReplicaSet", "web-5d4f8")};
  const Pod naming = workload(PodKind::replica_set, "web-5d4f8", {.node_name = "node-1"});
  const Pod silent = workload(PodKind::replica_set, "web-5d4f8");
  struct Case {
    const char* name;
    std::vector<OwnerReference> owners;
    NodeNamedBy by;
    std::vector<Pod> workloads;
    AskedAs as;
    const char* node;
  };
  const Case cases[] = {
      {"a bare pod", none, NodeNamedBy::unknown, {}, AskedAs::undecided, ""},
      {"a bare pod with its author's field",
       none,
       NodeNamedBy::author,
       {},
       AskedAs::created,
       "node-1"},
      {"a bare pod without one", none, NodeNamedBy::scheduler, {}, AskedAs::created, ""},
      {"a controlled pod", by_set, NodeNamedBy::unknown, {}, AskedAs::created, ""},
      {"its template names none", by_set, NodeNamedBy::unknown, {silent}, AskedAs::created, ""},
      {"its template names it", by_set, NodeNamedBy::unknown, {naming}, AskedAs::created, "node-1"},
      {"its template names another one by now",
       by_set,
       NodeNamedBy::unknown,
       {workload(PodKind::replica_set, "web-5d4f8", {.node_name = "node-9"})},
       AskedAs::created,
       "node-1"},
      {"its template names another one, and a scheduler this one",
       by_set,
       NodeNamedBy::scheduler,
       {workload(PodKind::replica_set, "web-5d4f8", {.node_name = "node-9"})},
       AskedAs::created,
       ""},
      {"a mutator named it", by_set, NodeNamedBy::author, {silent}, AskedAs::created, "node-1"},
      {"the Deployment of a ReplicaSet that is not there names it",
       by_set,
       NodeNamedBy::unknown,
       {workload(PodKind::deployment, "web", {.node_name = "node-1"})},
       AskedAs::created,
       "node-1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    StoredObject pod = running(c.owners);
    pod.node_named_by = c.by;
    const CreatedObject created = asked(pod, c.workloads);
    CHECK(created.as == c.as);
    CHECK(created.object.spec.node_name == c.node);
  }
  StoredObject waiting = running();
  waiting.object.spec.node_name.clear();
  CHECK(asked(waiting).as == AskedAs::created);
}

TEST_CASE("what the template of a pod says stays") {
  StoredObject pod = running({controller("ReplicaSet", "web-5d4f8")});
  pod.object.spec.tolerations.push_back(gpu);
  const std::vector<Pod> workloads = {workload(PodKind::replica_set, "web-5d4f8",
                                               {.priority = 1000, .tolerations = {not_ready_300}})};
  const PodSpec spec = asked(pod, workloads).object.spec;
  CHECK(spec.priority == 1000);
  CHECK(spec.tolerations == std::vector{not_ready_300, gpu});
}

TEST_CASE("a DaemonSet's pod loses its controller's tolerations and its node") {
  StoredObject pod = running({controller("DaemonSet", "agent")});
  for (const Toleration& added : scheduling_policy::daemon_set_tolerations())
    pod.object.spec.tolerations.push_back(added);
  pod.object.spec.tolerations.push_back(gpu);
  pod.object.spec.affinity = on_node();
  const PodSpec spec = asked(pod).object.spec;
  CHECK(spec.tolerations == std::vector{gpu});
  CHECK(!spec.affinity);

  // Its own expressions stay, and what its template tolerates.
  const NodeSelectorRequirement amd = {
      .key = "arch", .operator_ = NodeSelectorOperator::in, .values = {"amd64"}};
  pod.object.spec.affinity = on_node({amd});
  const auto kept =
      asked(pod, {workload(PodKind::daemon_set, "agent", {.tolerations = {not_ready}})})
          .object.spec;
  CHECK(kept.tolerations == std::vector{not_ready, gpu});
  const auto& terms =
      kept.affinity->node_affinity->required_during_scheduling_ignored_during_execution
          ->node_selector_terms;
  CHECK(terms == std::vector<NodeSelectorTerm>{{.match_expressions = {amd}}});

  // Another's pod with the same keeps it: a user wrote it.
  pod.object.metadata.owner_references = {controller("StatefulSet", "agent")};
  CHECK(asked(pod).object.spec.tolerations.size() == 8);
  CHECK(asked(pod).object.spec.affinity == on_node({amd}));
}

}  // namespace as_created_test
