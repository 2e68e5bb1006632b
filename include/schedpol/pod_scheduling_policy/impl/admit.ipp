// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/invalid_policies.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

SCHEDPOL_INLINE Admission to_admission(Injection&& injection) {
  Admission admission{.allowed = injection.errors.empty(),
                      .pod = std::move(injection.pod),
                      .changes = std::move(injection.changes)};
  for (Skipped& skipped : injection.skipped)
    admission.warnings.push_back(
        {std::move(skipped.field), std::move(skipped.reason), {skipped.policy}});
  for (const FieldError& error : injection.errors)
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, {"spec"}), message(error),
                                    injection.applied});
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                                DefaultScheduler default_scheduler) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, policies, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in,
                                std::span<const PodSchedulingPolicy> policies,
                                DefaultScheduler default_scheduler) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(pod), in, *compiled, default_scheduler);
  const FieldPath field = field_path(pod.kind, {"spec"});
  return schedpol::detail::invalid_policies_denial(std::move(pod), field, compiled.errors(),
                                                   policies);
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
