// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// Adds the errors of policies to what an admission says.
inline void deny(Admission& admission, const std::vector<FieldError>& errors,
                 const std::vector<std::string>& policies) {
  for (const FieldError& error : errors) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, {"spec"}), message(error),
                                    policies});
  }
}

}  // namespace detail

SCHEDPOL_INLINE Admission to_admission(Injection&& injection) {
  Admission admission{.allowed = injection.errors.empty(),
                      .pod = std::move(injection.pod),
                      .changes = std::move(injection.changes)};
  for (Skipped& skipped : injection.skipped)
    admission.warnings.push_back(
        {std::move(skipped.field), std::move(skipped.reason), {skipped.policy}});
  detail::deny(admission, injection.errors, injection.applied);
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
  if (const auto compiled = compile(policies))
    return admit(std::move(pod), in, *compiled, default_scheduler);
  Admission admission;
  admission.pod = std::move(pod);
  const detail::Compilation compilation = detail::compile_each(policies);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    names.push_back(policies[i].metadata.name);
    detail::deny(admission, compilation.errors[i], {names.back()});
  }
  detail::deny(admission, compilation.namesakes, names);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
