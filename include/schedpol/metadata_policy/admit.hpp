// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies decide on a pod, or the pod template of a workload: its scheduler is chosen by
/// its quality of service, which is what they were made for. That is written to an annotation, rules
/// turn it into another annotation that names the scheduler, and that becomes `spec.schedulerName`.
/// Of other objects the metadata alone is decided on, in `metadata_admission.hpp`. Source: the
/// MetadataPolicy proposal.

#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The pod with its quality of service in `qos_annotation`, over what stood there. A limit is the
/// request where there is none, as in the pods that are made of a template (`core/qos.hpp`).
[[nodiscard]] Pod annotate_qos(Pod pod);

/// What became of a pod. Default-constructed it is a rejection. Rejected, or with `errors`: the pod
/// as it came, and no changes.
struct SchedulerChoice {
  Allowed allowed{};
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then the scheduler that `scheduler_name_annotation` names, if it
/// names one. The change of the scheduler names the policy whose rule wrote the annotation, and none
/// where the pod brought it.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; with `errors` when they cannot be. A pod that was
/// moved from is an error in both.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod,
                                               std::span<const MetadataPolicy> policies);

/// `choose_scheduler` as an admission, to be chained with those of other systems: denied with one
/// `RejectedByRule` a rejecting rule, or with `InvalidPolicy` where nothing was compiled; otherwise
/// the pod with what the rules wrote and its scheduler. A label that a rule wrote, so that a workload
/// does not select its own template any more (`Pod::selector`), is warned of.
[[nodiscard]] Admission admit(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be. Each names the policy with the selector, and all of them where two have one
/// name.
[[nodiscard]] Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/admit.ipp>
#endif
