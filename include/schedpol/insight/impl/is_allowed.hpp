// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod is allowed, for who asks of many and wants no reasons.

#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <utility>

namespace schedpol::scheduling_policy::detail {

/// Whether anything is denied.
class AnyDenial final : public CheckListener {
 public:
  AnyDenial() noexcept : CheckListener(Wants::denials) {}

  [[nodiscard]] bool is_there() const noexcept { return is_there_; }

 private:
  void hear(const CheckEvent&) override { is_there_ = true; }

  bool is_there_ = false;
};

/// Whether `admit` allows it.
[[nodiscard]] inline bool is_allowed(PodSpec spec, const EffectivePolicy& effective,
                                     const Options& options) {
  const auto& rules = Insides::of(effective);
  if (!rules.decides) return false;
  const Pod pod = apply_defaults({.spec = std::move(spec)}, effective, options).pod;
  const Asked asked(pod, options, rules.spec.defaults);
  if (clears(rules, asked, pod.spec)) return true;
  AnyDenial denial;
  run_rules(rules, asked, denial);
  return !denial.is_there();
}

}  // namespace schedpol::scheduling_policy::detail
