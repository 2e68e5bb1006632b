// SPDX-License-Identifier: Apache-2.0
// Runs pods through RuntimeClass, MetadataPolicy, PodSchedulingPolicy and SchedulingPolicy in a
// row.

#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <iostream>
#include <utility>
#include <vector>

using namespace schedpol;

const std::vector<runtime_class::RuntimeClass> classes = {
    {.metadata = {.name = "kata"},
     .handler = "kata",
     .overhead = {{.pod_fixed = {{"memory", *Quantity::parse("160Mi")}}}},
     .scheduling = {
         {.node_selector = {{"sandbox", "kata"}},
          .tolerations = {{.key = "sandboxed", .operator_ = TolerationOperator::exists}}}}}};

const std::vector<metadata_policy::MetadataPolicy> metadata_policies = {
    {.metadata = {.name = "schedulers", .namespace_ = "shop"},
     .spec = {.rules = {
                  {.policy_predicate = {.annotation_selector =
                                            {{.match_labels = {{"scheduler.alpha.kubernetes.io/qos",
                                                                "BestEffort"}}}}},
                   .policy_action = {.updated_annotations = {{"scheduler.alpha.kubernetes.io/name",
                                                              "batch-scheduler"}}}}}}}};

const std::vector<pod_scheduling_policy::PodSchedulingPolicy> injected = {
    {.metadata = {.name = "zones", .namespace_ = "shop"},
     .spec = {.pod_selector = {{.match_labels = {{"app", "reports"}}}},
              .node_selector = {{"topology.kubernetes.io/zone", "eu-west-1a"}}}}};

const std::vector<scheduling_policy::SchedulingPolicy> policies = {
    {.metadata = {.name = "shop"},
     .spec = {.allowed = {.scheduler_names = {"batch-scheduler"},
                          .node_selectors = {{"sandbox", {"kata"}},
                                             {"topology.kubernetes.io/zone", any}},
                          .tolerations = {{.keys = {"sandboxed"},
                                           .operators = {TolerationOperator::exists},
                                           .effects = any}}},
              .defaults = {.priority_class_name = "low"}}}};

Admission admit(const Pod& pod) {
  const auto effective = scheduling_policy::merge(policies);
  return runtime_class::admit(pod, classes)
      .and_then([](Pod p) { return metadata_policy::admit(p, metadata_policies); })
      .and_then([](Pod p) {
        return pod_scheduling_policy::admit(std::move(p), {{.name = "shop"}}, injected);
      })
      .and_then([&](Pod p) { return scheduling_policy::admit(std::move(p), effective); });
}

void decide(const Pod& pod) {
  const Admission admission = admit(pod);
  std::cout << pod.metadata.name << ": " << (admission.allowed ? "allowed" : "denied") << '\n';
  for (const Change& change : admission.changes) std::cout << "  " << message(change) << '\n';
  for (const Violation& violation : admission.violations)
    std::cout << "  " << message(violation) << '\n';
}

int main() {
  decide({.metadata = {.name = "reports", .namespace_ = "shop", .labels = {{"app", "reports"}}},
          .spec = {.runtime_class_name = "kata"}});
  decide({.metadata = {.name = "worker", .namespace_ = "shop"},
          .spec = {.node_selector = {{"sandbox", "gvisor"}}, .runtime_class_name = "kata"}});
  decide(
      {.metadata = {.name = "server", .namespace_ = "shop"},
       .spec = {.scheduler_name = "fast-scheduler",
                .containers = {{.resources = {.requests = {{"cpu", *Quantity::parse("500m")}}}}}}});
}
