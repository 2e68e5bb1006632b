// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An injection as an admission, to be chained with those of other systems: allowed with its
/// changes, or denied with `InvalidPolicy` where a policy cannot be evaluated or makes too many
/// node selector terms. What is skipped as conflicting denies nothing, and is a warning.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <span>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// The pod with what the policies inject, as `inject` does it.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same of policies that are compiled first; denied with one `InvalidPolicy` an error when they
/// cannot be, each naming the policy that it is of.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in,
                              std::span<const PodSchedulingPolicy> policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// What an injection comes to: one `InvalidPolicy` an error, otherwise allowed. It knows the pod
/// only as it is now; to be chained, the admission needs the pod as it came, in `before`.
[[nodiscard]] Admission to_admission(Injection&& injection);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/admit.ipp>
#endif
