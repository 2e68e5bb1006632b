// SPDX-License-Identifier: Apache-2.0
#pragma once

/// LabelPolicies made for being asked.

#include <schedpol/label_policy/policy.hpp>

#include <optional>
#include <span>
#include <vector>

namespace SCHEDPOL_NAMESPACE::label_policy {

/// Of nothing it denies.
struct CompiledPolicies {
  std::optional<std::vector<LabelPolicy>> policies{};
};

/// Those policies.
[[nodiscard]] CompiledPolicies compile(std::span<const LabelPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::label_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/label_policy/impl/compile.ipp>
#endif
