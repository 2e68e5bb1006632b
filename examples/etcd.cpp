// SPDX-License-Identifier: Apache-2.0
// Injects a dedicated worker pool into the StatefulSet of an etcd that a custom resource controls,
// under a policy that permits nobody such a wish.

#include <schedpol/engine/engine.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>

#include <iostream>

using namespace schedpol;

int main() {
  engine::Configuration cluster = {
      .systems = {{engine::System::pod_scheduling_policy}, {engine::System::scheduling_policy}},
      .settings = {.policy_use = engine::PolicyUse::every}};
  cluster.objects.namespaces = {{{.name = "shoot", .labels = {{"role", "shoot"}}}}};
  cluster.objects.scheduling_policies = {scheduling_policy::restricted()};
  cluster.objects.pod_scheduling_policies = {
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "etcd-pool"},
       .spec = {.namespace_selector = {{.match_labels = {{"role", "shoot"}}}},
                .pod_selector = {{.match_labels = {{"app", "etcd"}}}},
                .node_selector = {{"pool", "etcd"}},
                .tolerations = {{.key = "dedicated", .value = "etcd"}}}}};
  const auto engine = engine::compile(cluster);

  const Pod etcd = {
      .kind = PodKind::stateful_set,
      .metadata = {.name = "etcd-main",
                   .namespace_ = "shoot",
                   .labels = {{"app", "etcd"}},
                   .owner_references = {{.kind = "Etcd", .name = "main", .controller = true}}}};
  const Pod web = {.metadata = {.name = "web", .namespace_ = "shoot"},
                   .spec = {.node_selector = {{"pool", "etcd"}}}};
  for (const Pod& object : {etcd, web}) {
    const engine::Decision decision = engine->decide({.object = object});
    std::cout << object.metadata.name << ": " << (decision.allowed ? "allowed\n" : "denied\n");
    for (const engine::StepDecision& step : decision.steps) {
      for (const Change& change : step.changes) std::cout << "  " << message(change) << '\n';
      for (const Violation& violation : step.violations)
        std::cout << "  " << message(violation) << '\n';
    }
  }
}
