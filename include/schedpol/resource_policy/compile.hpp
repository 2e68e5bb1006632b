// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicies compiled for matching. A policy selects the pods of its own namespace whose labels
/// its podSelector matches. The one policy that selects a pod places it. Source: the Resource Policy
/// proposal, "CRD API".

#include <schedpol/core/admission.hpp>
#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// A default-constructed value fails closed: the policies are not known, so no pod is admitted and none
/// can be placed.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

 private:
  friend Result<CompiledPolicies> compile(std::span<const ResourcePolicy>);
  friend Admission admit(Pod, const CompiledPolicies&);
  friend class Cluster;

  struct Impl;
  Shared<Impl> impl_;
};

/// Compiles the policies, or reports all errors of `validate`, each with the name of its policy; nothing
/// is then evaluated. Paths begin with `policies[i]`. One error of `validate` is none here: a key may be
/// in matchLabelKeys and in the podSelector. Pods with different values of it are then counted apart.
/// An `engine::Engine` does not use such a policy.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/compile.ipp>
#endif
