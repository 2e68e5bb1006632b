// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What MetadataPolicies decide on a pod, or the pod template of a workload: `choose_scheduler` as
/// an admission, to be chained with those of other systems. Of other objects the metadata alone is
/// decided on, in `metadata_admission.hpp`.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/policy.hpp>

#include <span>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Denied with one `RejectedByRule` a rejecting rule, or with `InvalidPolicy` where nothing was
/// compiled; otherwise the pod with what the rules wrote and its scheduler.
[[nodiscard]] Admission admit(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be. Each names the policy with the selector, and all of them where two have one
/// name.
[[nodiscard]] Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/admit.ipp>
#endif
