// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What ResourcePolicies have to say when a pod is created: a pod that more than one of them
/// selects is denied with `MultipleResourcePolicies`, because the prefilter would turn it away from
/// every node. They change nothing. Source: the Resource Policy proposal, "PreFilter".

#include <schedpol/resource_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Of a pod, or of the pods of a template. The violation is at the labels, and names all of those
/// policies in byte order.
[[nodiscard]] Admission admit(Pod pod, const CompiledPolicies& policies);

/// The same of policies that are compiled first; denied with one `InvalidPolicy` an error when they
/// cannot be, each naming the policy that it is of.
[[nodiscard]] Admission admit(Pod pod, std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/admit.ipp>
#endif
