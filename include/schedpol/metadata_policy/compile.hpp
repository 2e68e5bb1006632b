// SPDX-License-Identifier: Apache-2.0
#pragma once

/// MetadataPolicies made for being asked: selectors compiled, and rules found by the namespace, the
/// labels and the annotations that they name; only those of a namespace that name nothing else are
/// all looked at.

#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Rules that `admit` and `choose_scheduler` ask. Default-constructed it was compiled of nothing, not
/// even of no policies, and every object is rejected.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// These and those: each of `policies` takes the place of the one of its name and namespace.
  /// Errors are those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const MetadataPolicy> policies) const;

  /// Those that are not called like one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const MetadataPolicy> policies) const;

 private:
  friend struct CompiledPoliciesAccess;
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the policies, or reports every selector that cannot be used, naming its policy: nothing
/// is evaluated then. Paths begin with `policies[i]`. Two policies of one name and namespace are an
/// error at `policies`.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/compile.ipp>
#endif
