// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/impl/metadata_admission.ipp>
#include <schedpol/metadata_policy/impl/rules.hpp>
#include <schedpol/metadata_policy/scheduler.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// The policy behind a problem; all of them where that is no single one.
inline std::vector<std::string> policies_behind(const PolicyProblem& problem,
                                                std::span<const MetadataPolicy> policies) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (problem.policy.value_or(i) == i) names.push_back(policies[i].metadata.name);
  }
  return names;
}

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
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  Admission admission;
  admission.pod = pod;
  for (const detail::PolicyProblem& problem : detail::compile_rules(policies).problems) {
    admission.violations.push_back({.code = ViolationCode::invalid_policy,
                                    .field = metadata,
                                    .value = message(problem.error),
                                    .policies = detail::policies_behind(problem, policies)});
  }
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
