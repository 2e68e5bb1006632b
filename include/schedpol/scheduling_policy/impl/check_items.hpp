// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Applies all rules of `check` to one pod; each rule reports its events. First comes a test that
/// allocates nothing. It finds the rows without violations: the policies require nothing and list
/// everything that the pod has.

#include <schedpol/base/impl/lookup/calls.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/violation_list.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  constexpr auto clear_rows = [](const EffectivePolicyAccess::Impl& of, const Pod& whole,
                                 const Options& with) {
    return of.checks.clear_rows(EffectivePod(whole, with, of.spec.defaults));
  };
  if (pod.spec.moved_from) return one_violation(schedpol::detail::moved_from_violation(pod.kind));
  const auto& rules = EffectivePolicyAccess::of(effective);
  const std::size_t clear = schedpol::detail::call_flattened(clear_rows, rules, pod, options);
  if (clear == row_count) return {};
  ViolationList violations(pod.kind, effective);
  rules.checks.run(EffectivePod(pod, options, rules.spec.defaults), violations, clear);
  return std::move(violations).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
