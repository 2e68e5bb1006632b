// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicies compiled for matching. An index finds rules by the namespace, labels and
/// annotations that they name. Only rules that name no label or annotation are checked for every
/// object of their namespace.

#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The rules for `admit` and `choose_scheduler`. A default-constructed value fails closed: the policies
/// are not known, so every object is rejected.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// These policies and `policies`, which replace those of the same name and namespace. Errors are
  /// those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const MetadataPolicy> policies) const;

  /// These policies except those with the name and namespace of one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const MetadataPolicy> policies) const;

 private:
  friend struct CompiledPoliciesAccess;
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the policies, or reports every invalid selector with the name of its policy; nothing is
/// then evaluated. Paths begin with `policies[i]`. Two policies with the same name and namespace are
/// an error at `policies`.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/compile.ipp>
#endif
