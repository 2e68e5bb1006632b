// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/violation_list.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (EffectivePolicyAccess::of(effective).decides)
    return detail::check_items(pod, effective, options);
  return schedpol::detail::call_noinline(
      [](PodKind kind, const EffectivePolicy& by) {
        return std::vector<Violation>{detail::undecided(kind, by)};
      },
      pod.kind, effective);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
