// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 1 to 3 of `check`: the names of scheduler, node and priority class.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// The names that a pod may have of one sort.
class NameRule {
 public:
  NameRule(const AnyOr<Texts>& required, const AnyOr<Texts>& allowed,
           const std::optional<std::string>& given)
      : required_(!required.is_absent()) {
    if (required_) {
      permitted_ = TextRule(required);
    } else {
      permitted_ = given ? TextRule(allowed, *given) : TextRule(allowed);
    }
  }

  /// Whether names are required, rather than only permitted.
  [[nodiscard]] bool required() const noexcept { return required_; }
  [[nodiscard]] Verdict verdict(bool permits) const noexcept {
    if (required_) return permits ? Verdict::requirement_met : Verdict::requirement_missing;
    return permits ? Verdict::permitted : Verdict::not_permitted;
  }
  [[nodiscard]] bool permits(std::string_view name) const noexcept {
    return permitted_.permits(name);
  }

 private:
  bool required_;
  TextRule permitted_;  ///< the required, where any are, otherwise allowed and default
};

class NamesCheck {
 public:
  explicit NamesCheck(const SchedulingPolicySpec& spec)
      : scheduler_(spec.required.scheduler_names, spec.allowed.scheduler_names,
                   spec.defaults.scheduler_name),
        priority_class_(spec.required.priority_class_names, spec.allowed.priority_class_names,
                        spec.defaults.priority_class_name),
        any_node_(spec.allowed.scheduler_names.is_any()) {}

  [[nodiscard]] bool clears(const EffectivePod& asked) const noexcept {
    return scheduler_.permits(asked.scheduler_name()) && (any_node_ || asked.node_name().empty()) &&
           permits_priority_class(asked);
  }

  void run(const EffectivePod& asked, CheckListener& listener) const {
    const auto tell = [&](CheckRule rule, Verdict verdict, std::string_view name,
                          const PathBuilder& field, const PathBuilder* entry) {
      listener.tell(
          {.rule = rule, .verdict = verdict, .item = name, .field = &field, .entry = entry});
    };
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder required = object.child("required");

    const std::string_view scheduler = asked.scheduler_name();
    const bool is_exempt = !scheduler_.required() && asked.exempt().contain_scheduler(scheduler);
    const PathBuilder scheduler_names = required.child("schedulerNames");
    tell(CheckRule::scheduler_name,
         is_exempt ? Verdict::exempt : scheduler_.verdict(scheduler_.permits(scheduler)), scheduler,
         spec.child("schedulerName"), &scheduler_names);

    if (const std::string_view node = asked.node_name(); !node.empty()) {
      const Verdict verdict = any_node_ ? Verdict::permitted : Verdict::not_permitted;
      tell(CheckRule::node_name, asked.exempt().contain_node(node) ? Verdict::exempt : verdict,
           node, spec.child("nodeName"), nullptr);
    }

    const std::string_view written = asked.spec().priority_class_name;
    const bool is_asked_for = !asked.priority_class_name().empty();
    const Verdict verdict = priority_class_.verdict(permits_priority_class(asked));
    const PathBuilder field = spec.child("priorityClassName");
    const PathBuilder classes = required.child("priorityClassNames");
    if (!is_asked_for && !written.empty())
      tell(CheckRule::priority_class_name, Verdict::exempt, written, field, nullptr);
    if (is_asked_for || denies(verdict))
      tell(CheckRule::priority_class_name, verdict, written, field, &classes);
  }

 private:
  [[nodiscard]] bool permits_priority_class(const EffectivePod& asked) const noexcept {
    const std::string_view name = asked.priority_class_name();
    return name.empty() ? !priority_class_.required() : priority_class_.permits(name);
  }

  NameRule scheduler_;
  NameRule priority_class_;
  bool any_node_;  ///< a pod may name its node, past every scheduler
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
