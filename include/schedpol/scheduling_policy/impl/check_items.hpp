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

/// What all rules deny.
inline constexpr auto violations_of = [](const Pod& pod, const EffectivePolicy& effective,
                                         const Options& options) {
  if (pod.spec.moved_from) {
    std::vector<Violation> violations;
    violations.push_back(schedpol::detail::moved_from_violation(pod.kind));
    return violations;
  }
  const auto& rules = EffectivePolicyAccess::of(effective);
  ViolationList violations(pod.kind, effective);
  rules.checks.run(EffectivePod(pod, options, rules.spec.defaults), violations);
  return std::move(violations).take();
};

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  constexpr auto is_clear = [](const auto& rules, const Pod& asking, const Options& with) {
    return !asking.spec.moved_from &&
           rules.checks.clear(EffectivePod(asking, with, rules.spec.defaults));
  };
  if (schedpol::detail::call_flattened(is_clear, EffectivePolicyAccess::of(effective), pod,
                                       options))
    return {};
  return schedpol::detail::call_noinline(violations_of, pod, effective, options);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
