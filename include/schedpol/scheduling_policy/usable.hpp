// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Picks the policies that a pod may use out of all there are, before they are merged. RBAC answers
/// by name (`rbac::usable`); a caller that asks the API server instead passes what it asks with.

#include <schedpol/core/texts.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <concepts>
#include <span>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The policies whose names are listed, in their order.
[[nodiscard]] std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                   const Texts& names);

/// The policies for whose name `may_use` is true, in their order.
template <std::predicate<const std::string&> MayUse>
[[nodiscard]] std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                   MayUse&& may_use) {
  Texts names;
  for (const SchedulingPolicy& policy : policies)
    if (may_use(policy.metadata.name)) names.push_back(policy.metadata.name);
  return usable(policies, names);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/usable.ipp>
#endif
