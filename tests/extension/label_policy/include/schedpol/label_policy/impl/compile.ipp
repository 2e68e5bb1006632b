// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/label_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

SCHEDPOL_INLINE CompiledPolicies compile(std::span<const LabelPolicy> policies) {
  return {std::vector<LabelPolicy>(policies.begin(), policies.end())};
}

}  // namespace SCHEDPOL_NAMESPACE::label_policy
