// SPDX-License-Identifier: Apache-2.0
// Merges two scheduling policies, gives a pod its defaults and allows it, and denies another with
// reasons.

#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <iostream>
#include <vector>

using namespace schedpol;
using scheduling_policy::SchedulingPolicy;

void print(const Admission& admission) {
  std::cout << admission.pod.metadata.name << ": " << (admission.allowed ? "allowed" : "denied")
            << '\n';
  for (const Change& change : admission.changes) std::cout << "  " << message(change) << '\n';
  for (const Violation& violation : admission.violations)
    std::cout << "  " << message(violation) << '\n';
}

int main() {
  const std::vector<SchedulingPolicy> policies = {
      SchedulingPolicy{
          .metadata = {.name = "everyone"},
          .spec = {.required = {.node_selectors = {{"kubernetes.io/arch", {"amd64", "arm64"}}}},
                   .allowed = {.scheduler_names = {"default-scheduler"}},
                   .defaults = {.node_selector = {{"kubernetes.io/arch", "amd64"}}}}},
      SchedulingPolicy{
          .metadata = {.name = "gpu-team"},
          .spec = {.allowed = {.scheduler_names = {"gpu-scheduler"},
                               .tolerations = {{.keys = {"gpu"},
                                                .operators = {TolerationOperator::exists},
                                                .effects = {TaintEffect::no_schedule}}}},
                   .defaults = {.priority_class_name = "batch"}}},
  };
  const auto effective = scheduling_policy::merge(policies);

  print(scheduling_policy::admit({.metadata = {.name = "trainer"},
                                  .spec = {.scheduler_name = "gpu-scheduler",
                                           .tolerations = {{.key = "gpu",
                                                            .operator_ = TolerationOperator::exists,
                                                            .effect = TaintEffect::no_schedule}}}},
                                 effective));

  print(scheduling_policy::admit(
      {.metadata = {.name = "miner"},
       .spec = {.scheduler_name = "my-scheduler",
                .node_selector = {{"kubernetes.io/arch", "s390x"}},
                .tolerations = {{.operator_ = TolerationOperator::exists}}}},
      effective));
}
