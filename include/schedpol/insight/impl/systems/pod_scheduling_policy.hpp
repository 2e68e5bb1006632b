// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of PodSchedulingPolicies and ClusterPodSchedulingPolicies.

#include <schedpol/engine/impl/systems/pod_scheduling_policy.hpp>
#include <schedpol/insight/impl/analyze_pod_scheduling_policies.ipp>
#include <schedpol/insight/impl/systems/scheduling_policy.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Whether something that a pod has is permitted by nobody; otherwise it lacks something.
inline bool is_lack_of_permission(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::scheduler_name_not_allowed:
    case ViolationCode::node_name_not_allowed:
    case ViolationCode::node_selector_not_allowed:
    case ViolationCode::toleration_not_allowed:
    case ViolationCode::affinity_not_allowed: return true;
    default: return false;
  }
}

/// What policies of the cluster give to pods that no SchedulingPolicy permits, nor all of them
/// together, by the names of those that give. Nothing where there are none, so that nobody has to
/// permit anything.
inline std::vector<Finding> injected_not_permitted(
    std::span<const pod_scheduling_policy::PodSchedulingPolicy> giving,
    std::span<const scheduling_policy::SchedulingPolicy> permitting, const Settings& settings,
    Budget& budget) {
  schedpol::detail::Analysis analysis(budget);
  const auto look_at = [&](const pod_scheduling_policy::PodSchedulingPolicy& policy,
                           std::vector<Violation> violations) {
    for (Violation& violation : violations) {
      if (!is_lack_of_permission(violation.code)) continue;
      if (violation.code == ViolationCode::scheduler_name_not_allowed &&
          policy.spec.scheduler_name.empty())
        continue;
      analysis.add({.code = FindingCode::injected_not_permitted,
                    .severity = Severity::info,
                    .policies = {policy.metadata.name},
                    .field = violation.field.below(1),
                    .detail = std::move(violation.value)});
    }
  };
  analysis.look_for(FindingCode::injected_not_permitted, [&] {
    if (permitting.empty() || giving.empty() ||
        !budget.spend(scheduling_policy::detail::merging_steps(permitting)))
      return;
    const EffectivePolicy effective = merge(permitting, settings.strategy);
    const scheduling_policy::detail::CheckSteps steps({effective, &settings.options});
    std::map<std::string_view, const pod_scheduling_policy::PodSchedulingPolicy*> by_name;
    for (const auto& policy : giving)
      if (pod_scheduling_policy::detail::is_of_cluster(policy))
        by_name.try_emplace(policy.metadata.name, &policy);
    for (const auto& [name, each] : by_name) {
      const pod_scheduling_policy::PodSchedulingPolicy& policy = *each;
      Pod pod;
      pod.spec.scheduler_name = policy.spec.scheduler_name;
      pod.spec.node_name = policy.spec.node_name;
      pod.spec.node_selector = policy.spec.node_selector;
      pod.spec.tolerations = policy.spec.tolerations;
      pod.spec.affinity = policy.spec.affinity;
      if (!budget.spend(steps.of(pod.spec))) return;
      look_at(policy, check(pod, effective, settings.options));
    }
  });
  return std::move(analysis).take();
}

inline std::vector<Finding> analyze_pod_scheduling_policies(const Objects& objects,
                                                            const Settings& settings,
                                                            std::span<const Node>) {
  const auto& policies = objects.pod_scheduling_policies;
  std::vector<Finding> findings = pod_scheduling_policy::analyze(policies);
  Budget budget;
  append(findings, injected_not_permitted(policies, objects.scheduling_policies, settings, budget));
  return findings;
}

inline std::vector<Finding> analyze_changed_pod_scheduling_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using pod_scheduling_policy::PodSchedulingPolicy;
  const std::vector<PodSchedulingPolicy>& list = changed.written().pod_scheduling_policies;
  std::vector<pod_scheduling_policy::detail::AnalyzedInjection> policies;
  for (const PodSchedulingPolicy& policy : list) policies.push_back({&policy});
  const auto add = [&](const PodSchedulingPolicy& policy) {
    if (changed.is_replaced(policy, list)) return true;
    if (pod_scheduling_policy::detail::is_neighbour(policy, list, budget) &&
        budget.spend(steps_of_neighbour))
      policies.push_back({&policy, false});
    return !budget.used_up();
  };
  const auto& system = changed.compiled<PodSchedulingPolicySystem>(System::pod_scheduling_policy);
  const auto& stored = system.objects();
  const bool of_cluster =
      schedpol::detail::any_of(list, pod_scheduling_policy::detail::is_of_cluster);
  if (of_cluster) {
    stored.for_each<PodSchedulingPolicy>(add);
  } else {
    for (const std::string& namespace_ : namespaces_of(list))
      stored.for_each_in<PodSchedulingPolicy>(namespace_, add);
    stored.for_each_of_cluster<PodSchedulingPolicy>(add);
  }
  auto findings =
      pod_scheduling_policy::detail::PodSchedulingPolicyAnalysis(std::move(policies), budget).run();
  if (const auto all = system.policies().with(list))
    append(findings, pod_scheduling_policy::detail::giving_too_much(list, {}, *all, budget));
  if (!of_cluster) return findings;
  append(findings,
         injected_not_permitted(list, ChangedSchedulingPolicies(changed).policies_of_everybody(),
                                changed.settings(), budget));
  return findings;
}

inline std::size_t pod_scheduling_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.pod_scheduling_policies)
    texts += pod_scheduling_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
