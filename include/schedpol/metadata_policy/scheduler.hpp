// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies were made for: choosing the scheduler of a pod by its quality of service.
/// The quality of service is written to an annotation, rules turn it into another annotation that
/// names the scheduler, and that becomes `spec.schedulerName`. Source: the MetadataPolicy proposal.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/policy.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Where a pod's quality of service is written for rules to see.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// Where rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

/// The pod with its quality of service in `qos_annotation`, over what stood there. A limit is the
/// request where there is none, as in the pods that are made of a template (`core/qos.hpp`).
[[nodiscard]] Pod annotate_qos(Pod pod);

/// The pod with the scheduler that `scheduler_name_annotation` names; unchanged where it names
/// none.
[[nodiscard]] Pod resolve_scheduler(Pod pod);

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

/// `annotate_qos`, then the rules, then `resolve_scheduler`. The change of the scheduler names the
/// policy whose rule wrote the annotation, and none where the pod brought it.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; with `errors` when they cannot be.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod,
                                               std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/scheduler.ipp>
#endif
