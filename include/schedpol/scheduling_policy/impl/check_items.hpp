// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All rules of `check` over one pod, in one direction: what the pod itself asks for, then each
/// rule over that, which tells what it finds. Before that comes a test that allocates nothing: whether
/// the policies list all that the pod has and require nothing, so that there are no violations.

#include <schedpol/base/impl/lookup/calls.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/violation_list.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  constexpr auto permits_all = [](const EffectivePolicyAccess::Impl& of, const Pod& whole,
                                  const Options& with) {
    return !whole.spec.moved_from &&
           of.checks.permits_all(EffectivePod(whole, with, of.spec.defaults));
  };
  const auto& rules = EffectivePolicyAccess::of(effective);
  if (schedpol::detail::call_flattened(permits_all, rules, pod, options)) return {};
  if (pod.spec.moved_from) return one_violation(schedpol::detail::moved_from_violation(pod.kind));
  ViolationList violations(pod.kind, effective);
  rules.checks.run(EffectivePod(pod, options, rules.spec.defaults), violations);
  return std::move(violations).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
