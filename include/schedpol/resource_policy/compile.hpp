// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ResourcePolicies made for matching. A policy selects the pods of its own namespace whose labels
/// its podSelector matches; a pod is placed by the one policy that selects it. Source: the Resource
/// Policy proposal, "CRD API".

#include <schedpol/core/admission.hpp>
#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Default-constructed it fails closed: nobody said which policies there are, so no pod is admitted
/// and none can be placed.
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

/// Builds the policies, or reports all that `validate` finds wrong with them, each error naming its
/// policy: nothing is evaluated then. Paths begin with `policies[i]`. One error
/// of `validate` is none here: a matchLabelKey that the podSelector is about, too, counts apart those
/// of the selected pods that differ in it. An `engine::Engine` does not use such a policy.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/compile.ipp>
#endif
