// SPDX-License-Identifier: Apache-2.0
// That a class or a cluster policy keeps a default from being given is found before the first pod
// is.
#include <schedpol/insight/analyze.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/scheduling_policy/builtin.hpp>

#include <string>
#include <vector>

namespace contradicted_defaults_test {

using namespace schedpol;
using engine::Configuration;
using engine::SystemFinding;

std::vector<std::string> contradicted(const Configuration& configuration) {
  std::vector<std::string> all;
  for (const SystemFinding& found : analyze(configuration))
    if (found.finding.code == FindingCode::default_contradicted) all.push_back(message(found));
  return all;
}

TEST_CASE("a default that the pods of a class or of a cluster policy are not given is found") {
  const auto in = [](std::string key, std::string value) -> NodeSelectorRequirement {
    return {std::move(key), NodeSelectorOperator::in, {std::move(value)}};
  };
  Configuration made;
  made.objects.scheduling_policies = {scheduling_policy::restricted_multiarch_by_affinity(
      scheduling_policy::PlatformLabels::proposal)};
  const auto class_of = [](const char* name, Labels pairs) {
    return runtime_class::RuntimeClass{
        .metadata = {.name = name},
        .handler = name,
        .scheduling = runtime_class::Scheduling{.node_selector = std::move(pairs)}};
  };
  made.objects.runtime_classes = {class_of("gpu", {{"gpu", "yes"}}),
                                  class_of("linux", {{"beta.kubernetes.io/os", "Linux"}})};
  CHECK(contradicted(made).empty());
  made.objects.runtime_classes.push_back(
      class_of("windows", {{"beta.kubernetes.io/os", "Windows"}}));
  pod_scheduling_policy::PodSchedulingPolicy arm{
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "arm"},
      .spec = {.namespace_selector = LabelSelector{}, .pod_selector = LabelSelector{}}};
  arm.spec.affinity =
      Affinity{.node_affinity = NodeAffinity{
                   .required_during_scheduling_ignored_during_execution = NodeSelector{
                       {{.match_expressions = {in("beta.kubernetes.io/arch", "arm64")}}}}}};
  made.objects.pod_scheduling_policies = {arm};
  const std::string start =
      "SchedulingPolicy: `restricted-multiarch-by-affinity`: "
      "`default.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`: all or a "
      "part of the default is not given to pods of ";
  CHECK(contradicted(made) ==
        std::vector<std::string>{
            start + "RuntimeClass `windows`: no node meets the pod's `beta.kubernetes.io/os In "
                    "[Windows]` and the policy's `beta.kubernetes.io/os In [Linux]`",
            start + "ClusterPodSchedulingPolicy `arm`: no node meets the pod's "
                    "`beta.kubernetes.io/arch In [arm64]` and the policy's "
                    "`beta.kubernetes.io/arch In [amd64]`"});
}

}  // namespace contradicted_defaults_test
