// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod is allowed, for callers that ask of many and want no reasons.

#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Which rules deny anything.
class DenyingRules final : public CheckListener {
 public:
  DenyingRules() noexcept : CheckListener(Wants::denials) {}

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool contain(CheckRule rule) const noexcept {
    return denies_[static_cast<std::size_t>(rule)];
  }

 private:
  void hear(const CheckEvent& event) override {
    any_ = true;
    denies_[static_cast<std::size_t>(event.rule)] = true;
  }

  bool any_ = false;
  std::array<bool, static_cast<std::size_t>(CheckRule::affinity) + 1> denies_{};
};

/// Tells what `admit` finds in a pod; nothing where `check` clears it. There is a policy that decides.
inline void run_on(PodSpec spec, const EffectivePolicy& effective, const Options& options,
                   CheckListener& listener) {
  const auto& rules = EffectivePolicyAccess::of(effective);
  const Pod pod = apply_defaults({.spec = std::move(spec)}, effective, options).pod;
  const EffectivePod asked(pod, options, rules.spec.defaults);
  if (!clears(rules, asked, pod.spec)) run_rules(rules, asked, listener);
}

/// Whether `admit` allows it.
[[nodiscard]] inline bool is_allowed(PodSpec spec, const EffectivePolicy& effective,
                                     const Options& options) {
  if (!EffectivePolicyAccess::of(effective).decides) return false;
  DenyingRules rules;
  run_on(std::move(spec), effective, options, rules);
  return !rules.any();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
