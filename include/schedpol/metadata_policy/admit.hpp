// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies decide on a pod, or the pod template of a workload. Their main purpose is to
/// choose a scheduler by quality of service. An annotation gets the pod's quality of service, rules write
/// another annotation that names the scheduler, and that name becomes `spec.schedulerName`.
/// `metadata_admission.hpp` decides on the metadata of other objects. Source: the MetadataPolicy
/// proposal.

#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The pod with its quality of service in `qos_annotation`, replacing any value there. An absent request
/// is the limit, as in the pods that are made from a template (`effective_qos_class`).
[[nodiscard]] Pod annotate_qos(Pod pod);

/// The result for a pod. A default-constructed one is a rejection. If the pod is rejected or there are
/// `errors`, the pod is as it came, and there are no changes.
struct SchedulerChoice {
  Allowed allowed{};
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then the scheduler in `scheduler_name_annotation`, if there is one.
/// The change of the scheduler names the policy whose rule wrote that annotation, or no policy if the
/// pod came with it.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first, with `errors` if they do not compile. In both functions, a
/// moved-from pod is an error.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod,
                                               std::span<const MetadataPolicy> policies);

/// `choose_scheduler` as an admission, to chain with those of other systems. It is denied with one
/// `RejectedByRule` for each rejecting rule, or with `InvalidPolicy` if nothing was compiled. Otherwise it
/// has the pod with its scheduler and what the rules wrote. A warning says if a rule wrote a label so
/// that a workload no longer selects its own template (`Pod::selector`).
[[nodiscard]] Admission admit(const Pod& pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error. It names the policy with the invalid selector, or all policies if two
/// have the same name.
[[nodiscard]] Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/admit.ipp>
#endif
