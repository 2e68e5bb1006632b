// SPDX-License-Identifier: Apache-2.0
// Explains why a pod is denied, says with which edits it would be allowed, and what else the two
// policies do to one another.

#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <iostream>
#include <vector>

using namespace schedpol;
using scheduling_policy::SchedulingPolicy;

int main() {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "everyone"},
       .spec = {.required = {.node_selectors = {{"kubernetes.io/arch", {"amd64", "arm64"}}}},
                .allowed = {.scheduler_names = {"default-scheduler"}},
                .defaults = {.priority_class_name = "batch"}}},
      {.metadata = {.name = "gpu-team"},
       .spec = {.required = {.node_selectors = {{"kubernetes.io/arch", {"amd64"}}}},
                .allowed = {.tolerations = {{.keys = {"gpu"},
                                             .operators = {TolerationOperator::exists},
                                             .effects = {TaintEffect::no_schedule}}}}}},
  };
  const auto effective = scheduling_policy::merge(policies);
  const Pod pod = {
      .spec = {.node_selector = {{"disk", "ssd"}},
               .tolerations = {{.key = "gpu",
                                .operator_ = TolerationOperator::exists,
                                .effect = TaintEffect::no_schedule},
                               {.key = "spot", .operator_ = TolerationOperator::exists}}}};

  std::cout << message(scheduling_policy::explain(pod, effective)) << '\n';

  if (const auto found = scheduling_policy::nearest_fix(pod, effective); found && *found) {
    const scheduling_policy::Fix& fix = **found;
    std::cout << "it would be allowed with\n";
    for (const Change& change : fix.changes) std::cout << "  " << message(change) << '\n';
  }

  std::cout << "and of the policies:\n";
  for (const Finding& finding : scheduling_policy::analyze(policies))
    std::cout << "  " << to_string(finding.severity) << ": " << message(finding) << '\n';
}
