// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/differences.hpp>

#include "../support/print.hpp"

#include <string>
#include <vector>

namespace differences_test {

using namespace schedpol;

std::vector<std::string> told(const Pod& from, const Pod& to) {
  std::vector<std::string> texts;
  for (const Change& change : engine::differences(from, to))
    texts.push_back(to_string(change.field) + ": " + change.from.value_or("-") + " > " +
                    change.to.value_or("-"));
  return texts;
}

TEST_CASE("pods differ field by field, in the items of a set and the keys of a map") {
  const Toleration gpu = {.key = "gpu", .operator_ = TolerationOperator::exists};
  const Toleration spot = {.key = "spot", .operator_ = TolerationOperator::exists};
  Pod from{.metadata = {.labels = {{"a", "1"}}},
           .spec = {.node_selector = {{"zone", "a"}}, .tolerations = {gpu, spot}}};
  Pod to{.metadata = {.labels = {{"a", "2"}}},
         .spec = {.scheduler_name = "batch", .tolerations = {spot, spot}}};
  CHECK(told(from, from).empty());
  CHECK(told(from, to) == std::vector<std::string>{
                              "metadata.labels[a]: 1 > 2", "spec.schedulerName: - > batch",
                              "spec.nodeSelector[zone]: a > -", "spec.tolerations: gpu Exists > -",
                              "spec.tolerations: - > spot Exists"});
  from.kind = PodKind::job;
  to = {.kind = PodKind::job, .metadata = from.metadata, .spec = from.spec};
  std::swap(to.spec.tolerations[0], to.spec.tolerations[1]);
  CHECK(told(from, to) ==
        std::vector<std::string>{
            "spec.template.spec.tolerations: gpu Exists, spot Exists > spot Exists, gpu Exists"});
}

TEST_CASE("pods differ in what policies only allow, by what these look at") {
  const TopologySpreadConstraint zones = {.max_skew = 1,
                                          .topology_key = "zone",
                                          .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule};
  TopologySpreadConstraint wider = zones;
  wider.max_skew = 2;
  const PodResourceClaim one_gpu = {.name = "gpu", .resource_claim_template_name = "one-gpu"};
  const Pod from{
      .spec = {.topology_spread_constraints = {zones}, .scheduling_gates = {{"quota"}, {"quota"}}}};
  Pod to{.spec = {.topology_spread_constraints = {wider},
                  .scheduling_gates = {{"quota"}, {"kueue"}},
                  .resource_claims = {one_gpu}}};
  CHECK(told(from, to) == std::vector<std::string>{"spec.schedulingGates: - > kueue",
                                                   "spec.schedulingGates: quota > -",
                                                   "spec.resourceClaims: - > one-gpu"});
  to = {.spec = {.scheduling_gates = from.spec.scheduling_gates}};
  CHECK(told(from, to) ==
        std::vector<std::string>{"spec.topologySpreadConstraints: zone:DoNotSchedule > -"});
}

}  // namespace differences_test
