// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// What tells the violations of a pod apart, wherever in their lists they stand.
inline std::string identity_of(const Violation& violation) {
  std::string text(to_string(violation.code));
  text += ' ';
  append_escaped(text, to_string(violation.field.without_indices()), " ");
  return text + ' ' + violation.value;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (!EffectivePolicyAccess::of(effective).decides)
    return detail::one_violation(detail::undecided(pod.kind, effective));
  return detail::check_items(pod, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

SCHEDPOL_INLINE std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                    const EffectivePolicy& effective,
                                                    const Options& options) {
  return check_update(old, effective, options, updated, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check_update(
    const Old<Pod>& old, const EffectivePolicy& effective_for_old, const Options& options_for_old,
    const Pod& updated, const EffectivePolicy& effective, const Options& options) {
  std::vector<Violation> violations = detail::check_items(updated, effective, options);
  if (violations.empty() || updated.spec.moved_from) return violations;
  Texts of_old;
  for (const Violation& violation :
       detail::check_items(old.object, effective_for_old, options_for_old))
    of_old.push_back(detail::identity_of(violation));
  const schedpol::detail::TextSet before(of_old);
  schedpol::detail::erase_if(violations, [&](const Violation& violation) {
    return before.contains(detail::identity_of(violation));
  });
  if (violations.empty() || EffectivePolicyAccess::of(effective).decides) return violations;
  return check(updated, effective, options);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
