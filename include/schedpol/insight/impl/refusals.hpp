// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod is allowed, for who asks of many and wants no reasons.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/names.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <string_view>
#include <utility>

namespace schedpol::scheduling_policy::detail {

/// Takes the place of `Reports`, and only sees that there is something to report.
class Refusals {
 public:
  explicit Refusals(const EffectivePolicy& effective) noexcept : effective_(effective) {}

  [[nodiscard]] bool any() const noexcept { return any_; }

  template <class... What>
  void deny(const What&...) noexcept {
    any_ = true;
  }
  void deny(ViolationCode, const FieldPath&, std::string_view, const Names& = {}) noexcept {
    any_ = true;
  }
  template <class... What>
  void require(const What&...) noexcept {
    any_ = true;
  }
  void require(ViolationCode, const FieldPath&, std::string_view, const FieldPath&,
               const Names& = {}) noexcept {
    any_ = true;
  }

  static Names permitted_scheduler_names() { return {}; }
  static Names permitted_priority_class_names() { return {}; }
  static Names permitted_values(std::string_view) { return {}; }
  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  static constexpr bool explains = false;
  template <class... What>
  static void permitted(const What&...) noexcept {}
  template <class... What>
  static void exempt(const What&...) noexcept {}
  template <class... What>
  static void met(const What&...) noexcept {}
  template <class... Where>
  static void look_at_mode(const Where&...) noexcept {}

 private:
  const EffectivePolicy& effective_;
  bool any_ = false;
};

/// Whether `admit` allows it.
[[nodiscard]] inline bool is_allowed(PodSpec spec, const EffectivePolicy& effective,
                                     const Options& options) {
  const auto& rules = Insides::of(effective);
  if (!rules.decides) return false;
  const Pod pod = apply_defaults({.spec = std::move(spec)}, effective, options).pod;
  const Asked asked(pod, options, rules.spec.defaults);
  if (clears(rules, asked, pod.spec)) return true;
  Refusals refusals(effective);
  run_rules(rules, asked, refusals);
  return !refusals.any();
}

}  // namespace schedpol::scheduling_policy::detail
