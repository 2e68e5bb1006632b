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

}  // namespace differences_test
