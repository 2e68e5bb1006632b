// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

struct Platforms {
  std::string arch_label{};
  std::string os_label{};
  std::string linux_name{};
  std::string windows_name{};
};

inline Platforms platforms(PlatformLabels labels) {
  if (labels == PlatformLabels::proposal)
    return {"beta.kubernetes.io/arch", "beta.kubernetes.io/os", "Linux", "Windows"};
  return {"kubernetes.io/arch", "kubernetes.io/os", "linux", "windows"};
}

/// The default scheduler, required and given.
inline SchedulingPolicy restricted_multiarch(std::string name) {
  SchedulingPolicy policy;
  policy.metadata.name = std::move(name);
  policy.spec.required.scheduler_names = {default_scheduler_name};
  policy.spec.defaults.scheduler_name = default_scheduler_name;
  return policy;
}

/// One of two values of a label.
inline TermPattern either(const std::string& key, std::string_view a, std::string_view b) {
  const RequirementPattern pattern{
      .keys = {key}, .operators = {NodeSelectorOperator::in}, .values = {a, b}};
  return {.match_expressions = {pattern}, .match_fields = {}};
}
inline NodeSelectorTerm exactly(const std::string& key, std::string_view value) {
  return {.match_expressions = {{key, NodeSelectorOperator::in, {value}}}, .match_fields = {}};
}

}  // namespace detail

SCHEDPOL_INLINE SchedulingPolicy restricted() {
  SchedulingPolicy policy;
  policy.metadata.name = "restricted";
  policy.spec.allowed.scheduler_names = {default_scheduler_name};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy privileged() {
  SchedulingPolicy policy;
  policy.metadata.name = "privileged";
  policy.spec.allowed = detail::everything();
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_node_selector(PlatformLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-node-selector");
  policy.spec.required.node_selectors = {{names.arch_label, {"amd64", "arm64"}},
                                         {names.os_label, {names.linux_name, names.windows_name}}};
  policy.spec.defaults.node_selector =
      Labels{{names.arch_label, "amd64"}, {names.os_label, names.linux_name}};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_affinity(PlatformLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-affinity");
  const NodeAffinityRule rule{
      {detail::either(names.arch_label, "amd64", "arm64"),
       detail::either(names.os_label, names.linux_name, names.windows_name)}};
  NodeAffinityRules& required = policy.spec.required.affinities.list().node_affinities.list();
  required.required_during_scheduling_ignored_during_execution = rule;
  NodeAffinity& affinity = policy.spec.defaults.affinity.emplace().node_affinity.emplace();
  affinity.required_during_scheduling_ignored_during_execution =
      NodeSelector{{detail::exactly(names.arch_label, "amd64"),
                    detail::exactly(names.os_label, names.linux_name)}};
  return policy;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
