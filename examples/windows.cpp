// SPDX-License-Identifier: Apache-2.0
// Gives pods of a Windows RuntimeClass what the class adds, and all others the Linux that a policy
// defaults to.

#include <schedpol/engine/engine.hpp>

#include <iostream>

using namespace schedpol;

void decide(const engine::Engine& engine, const Pod& pod) {
  const engine::Decision decision = engine.decide({.object = pod});
  std::cout << pod.metadata.name << ": " << (decision.allowed ? "allowed" : "denied") << '\n';
  for (const engine::StepDecision& step : decision.steps) {
    for (const Change& change : step.changes) std::cout << "  " << message(change) << '\n';
    for (const Violation& violation : step.violations)
      std::cout << "  " << message(violation) << '\n';
  }
}

int main() {
  engine::Configuration cluster = {
      .systems = {{engine::System::runtime_class}, {engine::System::scheduling_policy}},
      .settings = {.policy_use = engine::PolicyUse::every}};
  cluster.objects.runtime_classes = {
      {.metadata = {.name = "windows"},
       .handler = "runhcs",
       .scheduling = {{.node_selector = {{"kubernetes.io/os", "windows"}},
                       .tolerations = {{.key = "windows.microsoft.com",
                                        .operator_ = TolerationOperator::exists,
                                        .effect = TaintEffect::no_schedule}}}}}};
  cluster.objects.scheduling_policies = {
      {.metadata = {.name = "systems"},
       .spec = {.required = {.node_selectors = {{"kubernetes.io/os", {"linux", "windows"}}}},
                .allowed = {.scheduler_names = {"default-scheduler"}},
                .defaults = {.node_selector = {{"kubernetes.io/os", "linux"}}}}}};
  const auto engine = engine::compile(cluster);
  decide(*engine, {.metadata = {.name = "iis"}, .spec = {.runtime_class_name = "windows"}});
  decide(*engine, {.metadata = {.name = "nginx"}});
}
