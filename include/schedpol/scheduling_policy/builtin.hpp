// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that the SchedulingPolicy proposal wants in every cluster, as values. The RBAC
/// objects that let pods use them are in `rbac/builtin.hpp`. Source: the SchedulingPolicy proposal,
/// "Default SchedulingPolicies".

#include <schedpol/scheduling_policy/policy.hpp>

#include <string>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class NodeLabels {
  current,   ///< `kubernetes.io/arch`, `kubernetes.io/os`, with values as nodes carry them: `linux`
  proposal,  ///< the proposal's text to the letter: `beta.kubernetes.io/...`, `Linux`; no node has
             ///< them
};

/// Only the default scheduler; no priority class, toleration, node selector or affinity.
[[nodiscard]] inline SchedulingPolicy restricted() {
  SchedulingPolicy policy;
  policy.metadata.name = "restricted";
  policy.spec.allowed.scheduler_names = {{std::string(default_scheduler_name)}};
  return policy;
}

/// All schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] inline SchedulingPolicy privileged() {
  SchedulingPolicy policy;
  policy.metadata.name = "privileged";
  policy.spec.allowed = {.scheduler_names = any,
                         .priority_class_names = any,
                         .node_selectors = any,
                         .tolerations = any,
                         .affinities = any};
  return policy;
}

namespace detail {

struct Platforms {
  std::string arch_label{};
  std::string os_label{};
  std::string linux_name{};
  std::string windows_name{};
};

inline Platforms platforms(NodeLabels labels) {
  if (labels == NodeLabels::proposal) {
    return {"beta.kubernetes.io/arch", "beta.kubernetes.io/os", "Linux", "Windows"};
  }
  return {"kubernetes.io/arch", "kubernetes.io/os", "linux", "windows"};
}

/// The default scheduler, required and given.
inline SchedulingPolicy restricted_multiarch(std::string name) {
  SchedulingPolicy policy;
  policy.metadata.name = std::move(name);
  policy.spec.required.scheduler_names = {{std::string(default_scheduler_name)}};
  policy.spec.defaults.scheduler_name = default_scheduler_name;
  return policy;
}

}  // namespace detail

/// The default scheduler, and a node selector that picks one architecture of amd64 and arm64 and
/// one operating system of Linux and Windows; amd64 and Linux by default.
[[nodiscard]] inline SchedulingPolicy restricted_multiarch_by_node_selector(
    NodeLabels labels = NodeLabels::current) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-node-selector");
  policy.spec.required.node_selectors =
      NodeSelectors{{names.arch_label, {{"amd64", "arm64"}}},
                    {names.os_label, {{names.linux_name, names.windows_name}}}};
  policy.spec.defaults.node_selector =
      Labels{{names.arch_label, "amd64"}, {names.os_label, names.linux_name}};
  return policy;
}

/// The same by required node affinity.
[[nodiscard]] inline SchedulingPolicy restricted_multiarch_by_affinity(
    NodeLabels labels = NodeLabels::current) {
  const detail::Platforms names = detail::platforms(labels);
  const auto pattern = [](const std::string& key, std::vector<std::string> values) {
    return TermPattern{
        .match_expressions = {{RequirementPattern{.keys = {{key}},
                                                  .operators = {{NodeSelectorOperator::in}},
                                                  .values = std::move(values)}}},
        .match_fields = {}};
  };
  const auto term = [](const std::string& key, const std::string& value) {
    return NodeSelectorTerm{.match_expressions = {{key, NodeSelectorOperator::in, {value}}},
                            .match_fields = {}};
  };
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-affinity");
  NodeAffinityRule& rule = policy.spec.required.affinities.emplace()
                               .node_affinities.emplace()
                               .required_during_scheduling_ignored_during_execution.emplace();
  rule.node_selector_terms.push_back(pattern(names.arch_label, {"amd64", "arm64"}));
  rule.node_selector_terms.push_back(
      pattern(names.os_label, {names.linux_name, names.windows_name}));
  NodeSelector& given = policy.spec.defaults.affinity.emplace()
                            .node_affinity.emplace()
                            .required_during_scheduling_ignored_during_execution.emplace();
  given.node_selector_terms.push_back(term(names.arch_label, "amd64"));
  given.node_selector_terms.push_back(term(names.os_label, names.linux_name));
  return policy;
}

}  // namespace schedpol::scheduling_policy
