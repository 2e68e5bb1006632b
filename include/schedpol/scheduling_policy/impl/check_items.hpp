// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All rules of `check` over one pod, in one direction: what the pod itself asks for, then each
/// rule over that, which reports what it finds. Before that a pod is cleared, if it can be, for
/// which no rule has anything to report.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/lookup/in_one_piece.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/impl/reports.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <vector>

namespace schedpol::scheduling_policy::detail {

/// Whether nothing in the pod is more than what the policies list, and nothing is required of it:
/// then what is exempt, given or required need not be looked at. Where it is false, the pod may
/// still be permitted.
inline bool clears(const auto& rules, const Asked& asked, const PodSpec& pod) noexcept {
  return rules.names.clears(asked) && rules.node_selector.clears(pod.node_selector) &&
         rules.tolerations.clears(pod.tolerations) && rules.affinity.clears(pod.affinity);
}

/// What each rule reports, to `Reports` or to whoever explains.
inline void run_rules(const auto& rules, const Asked& asked, auto& reports) {
  rules.names.run(asked, reports);
  rules.node_selector.run(asked, reports);
  rules.tolerations.run(asked, reports);
  rules.affinity.run(asked, reports);
}

/// The one violation where no policy decides.
inline void report_undecided(const EffectivePolicy& effective, auto& reports) {
  reports.deny(
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      FieldPath{"spec"}, "");
}

/// What all rules report.
inline constexpr auto violations_of = [](const Pod& pod, const EffectivePolicy& effective,
                                         const Options& options) {
  std::vector<Violation> violations;
  const auto& rules = Insides::of(effective);
  Reports reports(pod.kind, effective, violations);
  run_rules(rules, Asked(pod, options, rules.spec.defaults), reports);
  return violations;
};

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  constexpr auto is_clear = [](const auto& rules, const Pod& asking, const Options& with) {
    return clears(rules, Asked(asking, with, rules.spec.defaults), asking.spec);
  };
  if (schedpol::detail::in_one_piece(is_clear, Insides::of(effective), pod, options)) return {};
  return schedpol::detail::apart(violations_of, pod, effective, options);
}

}  // namespace schedpol::scheduling_policy::detail
