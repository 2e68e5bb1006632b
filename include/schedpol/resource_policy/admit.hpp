// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What ResourcePolicies decide when a pod is created. If more than one selects a pod, the pod is denied
/// with `MultipleResourcePolicies`, because the prefilter would keep it from every node. They change
/// nothing. Source: the Resource Policy proposal, "PreFilter".

#include <schedpol/resource_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The decision on a pod, or on the pods of a template. The violation is at the labels and names all
/// policies that select the pod, in byte order.
[[nodiscard]] Admission admit(Pod pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error, which names its policy.
[[nodiscard]] Admission admit(Pod pod, std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/admit.ipp>
#endif
