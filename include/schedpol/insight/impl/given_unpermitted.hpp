// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What policies of the cluster give to pods that no SchedulingPolicy permits, nor all of them
/// together. Nothing where there are none, so that nobody has to permit anything.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/engine/system.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/insight/impl/merged_policy_analysis.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

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

/// A place of a pod's spec as one of a policy's.
inline FieldPath below_spec(const FieldPath& field) {
  FieldPath below;
  const auto steps = field.steps();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    switch (steps[i].kind) {
      case FieldPath::Step::Kind::field: below = std::move(below).child(steps[i].name); break;
      case FieldPath::Step::Kind::key: below = std::move(below).key(steps[i].name); break;
      case FieldPath::Step::Kind::index: below = std::move(below).index(steps[i].index); break;
    }
  }
  return below;
}

class GivenUnpermittedAnalysis final : public schedpol::detail::Analysis {
 public:
  explicit GivenUnpermittedAnalysis(schedpol::detail::Budget& budget) : Analysis(budget) {}

  void look_at(std::span<const pod_scheduling_policy::PodSchedulingPolicy> giving,
               std::span<const scheduling_policy::SchedulingPolicy> permitting,
               const Settings& settings) {
    look_for(FindingCode::given_unpermitted, [&] {
      if (permitting.empty() || giving.empty() ||
          !budget_.spend(scheduling_policy::detail::merging_steps(permitting)))
        return;
      const EffectivePolicy effective = merge(permitting, settings.strategy);
      const scheduling_policy::detail::CheckSteps steps({effective, &settings.options});
      for (const auto& policy : giving) {
        if (policy.kind != pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy)
          continue;
        Pod pod;
        pod.spec.scheduler_name = policy.spec.scheduler_name;
        pod.spec.node_name = policy.spec.node_name;
        pod.spec.node_selector = policy.spec.node_selector;
        pod.spec.tolerations = policy.spec.tolerations;
        pod.spec.affinity = policy.spec.affinity;
        if (!budget_.spend(steps.of(pod.spec))) return;
        look_at(policy, check(pod, effective, settings.options));
      }
    });
  }

 private:
  void look_at(const pod_scheduling_policy::PodSchedulingPolicy& policy,
               std::vector<Violation> violations) {
    for (Violation& violation : violations) {
      if (!is_lack_of_permission(violation.code)) continue;
      if (violation.code == ViolationCode::scheduler_name_not_allowed &&
          policy.spec.scheduler_name.empty())
        continue;
      add({.code = FindingCode::given_unpermitted,
           .severity = Severity::info,
           .policies = {policy.metadata.name},
           .field = below_spec(violation.field),
           .detail = std::move(violation.value)});
    }
  }
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
