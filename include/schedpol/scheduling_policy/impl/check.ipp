// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/reports.hpp>

namespace schedpol::scheduling_policy {

namespace detail {

/// The one violation where no policy decides.
inline std::vector<Violation> without_decision(const Pod& pod, const EffectivePolicy& effective) {
  std::vector<Violation> violations;
  Reports(pod.kind, effective, violations)
      .deny(effective.is_ambiguous() ? ViolationCode::ambiguous_policy
                                     : ViolationCode::no_usable_policy,
            {"spec"}, "");
  return violations;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (!Insides::of(effective).decides) return detail::without_decision(pod, effective);
  return detail::check_items(pod, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

}  // namespace schedpol::scheduling_policy
