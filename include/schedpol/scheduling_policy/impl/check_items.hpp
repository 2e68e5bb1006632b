// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All rules of `check` over one pod, in one direction: what the pod itself asks for, then each
/// rule over that, then what they report.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/impl/reports.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// Whether there are rules to decide by: some policy, and no two of one name.
inline bool decides(const EffectivePolicy& effective) noexcept {
  const auto& rules = Insides::of(effective);
  return !rules.policies.empty() && !rules.ambiguous;
}

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  const auto& rules = Insides::of(effective);
  const Asked asked(pod, options, rules.spec.defaults);
  Reports reports(pod.kind, effective);
  rules.names.run(asked, reports);
  rules.node_selector.run(asked, reports);
  rules.tolerations.run(asked, reports);
  rules.affinity.run(asked, reports);
  return std::move(reports).take();
}

}  // namespace schedpol::scheduling_policy::detail
