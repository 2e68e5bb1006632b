// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/violation_list.hpp>

#include <compare>
#include <set>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// What tells the violations of a pod apart, wherever in their lists they stand.
struct ViolationIdentity {
  ViolationCode code;
  FieldPath field;
  std::string_view value;

  explicit ViolationIdentity(const Violation& violation)
      : code(violation.code), field(violation.field.without_indices()), value(violation.value) {}

  friend auto operator<=>(const ViolationIdentity&, const ViolationIdentity&) = default;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (EffectivePolicyAccess::of(effective).decides)
    return detail::check_items(pod, effective, options);
  return schedpol::detail::call_noinline(
      [](PodKind kind, const EffectivePolicy& by) {
        std::vector<Violation> violations;
        violations.push_back(detail::undecided(kind, by));
        return violations;
      },
      pod.kind, effective);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

SCHEDPOL_INLINE std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                    const EffectivePolicy& effective,
                                                    const Options& options) {
  std::vector<Violation> violations = detail::check_items(updated, effective, options);
  if (violations.empty()) return violations;
  const std::vector<Violation> of_old = detail::check_items(old.object, effective, options);
  const std::set<detail::ViolationIdentity> before(of_old.begin(), of_old.end());
  schedpol::detail::erase_if(violations, [&](const Violation& violation) {
    return before.contains(detail::ViolationIdentity(violation));
  });
  if (violations.empty() || EffectivePolicyAccess::of(effective).decides) return violations;
  return check(updated, effective, options);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
