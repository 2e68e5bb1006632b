// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 1 to 3 and 7 of `check`: scheduler, priority class and runtime class names, and the node name.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// The names that a pod may have of one sort.
class NameCheck {
 public:
  NameCheck(const NameField& row, const SchedulingPolicySpec& spec)
      : required_(!(spec.required.*row.rules).is_absent()) {
    const std::optional<std::string>& by_default = spec.defaults.*row.member;
    if (required_) {
      permitted_ = TextRule(spec.required.*row.rules);
    } else {
      const AnyOr<Texts>& allowed = spec.allowed.*row.rules;
      permitted_ = by_default ? TextRule(allowed, *by_default) : TextRule(allowed);
    }
  }

  [[nodiscard]] bool permits_all(const NameField& row, const EffectivePod& pod) const noexcept {
    return permits(pod.name(row));
  }
  [[nodiscard]] bool requires_any() const noexcept { return required_; }

  void run(const NameField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entry = required.child(row.rules_field);
    const std::string_view name = pod.name(row);
    const std::string_view written = pod.spec().*row.in_pod;
    CheckEvent event{.codes = row.codes,
                     .verdict = Verdict::exempt,
                     .item = name.empty() ? written : name,
                     .field = &field,
                     .entry = &entry};
    if (!name.empty()) {
      const bool is_exempt = !required_ && pod.exempt().contain(row.traits.exempt, name);
      if (!is_exempt) event.verdict = verdict(permits(name));
      return listener.on_event(event);
    }
    if (!written.empty()) listener.on_event(event);
    event.verdict = Verdict::requirement_missing;
    if (required_) listener.on_event(event);
  }

 private:
  [[nodiscard]] Verdict verdict(bool permits) const noexcept {
    if (required_) return permits ? Verdict::requirement_met : Verdict::requirement_missing;
    return permits ? Verdict::permitted : Verdict::not_permitted;
  }
  [[nodiscard]] bool permits(std::string_view name) const noexcept {
    return name.empty() ? !required_ : permitted_.permits(name);
  }

  bool required_;       ///< names are required, rather than only permitted
  TextRule permitted_;  ///< the required, where any are, otherwise allowed and default
};

class NodeCheck {
 public:
  NodeCheck(const NodeNameField& row, const SchedulingPolicySpec& spec)
      : any_((spec.allowed.*row.scheduler.rules).is_any()) {}

  [[nodiscard]] bool permits_all(const NodeNameField& row, const EffectivePod& pod) const noexcept {
    return any_ || pod.name(row).empty();
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  void run(const NodeNameField& row, const EffectivePod& pod, CheckListener& listener) const {
    const std::string_view name = pod.name(row);
    if (name.empty()) return;
    const Verdict verdict = any_ ? Verdict::permitted : Verdict::not_permitted;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    listener.on_event(
        {.codes = row.codes,
         .verdict = pod.exempt().contain(row.exempt, name) ? Verdict::exempt : verdict,
         .item = name,
         .field = &field});
  }

 private:
  bool any_;  ///< a pod may name its node, past every scheduler
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
