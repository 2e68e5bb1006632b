// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/usable.hpp>

#include <set>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                     const Texts& names) {
  const std::set<std::string_view> listed(names.begin(), names.end());
  std::vector<SchedulingPolicy> picked;
  for (const SchedulingPolicy& policy : policies)
    if (listed.contains(policy.metadata.name)) picked.push_back(policy);
  return picked;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
