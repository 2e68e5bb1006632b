// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/invalid_policies.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/impl/metadata_admission.ipp>
#include <schedpol/metadata_policy/scheduler.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// What a choice for a pod comes to.
inline Admission to_admission(const Pod& pod, SchedulerChoice&& choice) {
  Admission admission;
  admission.allowed = choice.allowed;
  admission.violations =
      violations(choice.errors, choice.rejected_by, field_path(pod.kind, {"metadata"}));
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

}  // namespace detail

SCHEDPOL_INLINE Admission admit(const Pod& pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(Pod(pod));
  return detail::to_admission(pod, choose_scheduler(pod, policies));
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(pod, *compiled);
  return schedpol::detail::invalid_policies_denial(pod, field_path(pod.kind, {"metadata"}),
                                                   compiled.errors(), policies);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
