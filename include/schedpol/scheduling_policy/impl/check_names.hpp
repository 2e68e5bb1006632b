// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 1 to 3 of `check`: the names of scheduler, node and priority class.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace schedpol::scheduling_policy::detail {

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
  [[nodiscard]] bool permits(std::string_view name) const noexcept {
    return permitted_.permits(name);
  }

 private:
  bool required_;
  TextRule permitted_;  ///< the required, where any are, otherwise allowed and default
};

enum class SortOfName { scheduler, node, priority_class };

/// Where it stands in the spec of a pod.
constexpr std::string_view field_of(SortOfName sort) noexcept {
  constexpr std::string_view fields[] = {"schedulerName", "nodeName", "priorityClassName"};
  return fields[static_cast<std::size_t>(sort)];
}

class NamesCheck {
 public:
  explicit NamesCheck(const SchedulingPolicySpec& spec)
      : scheduler_(spec.required.scheduler_names, spec.allowed.scheduler_names,
                   spec.defaults.scheduler_name),
        priority_class_(spec.required.priority_class_names, spec.allowed.priority_class_names,
                        spec.defaults.priority_class_name),
        any_node_(spec.allowed.scheduler_names.is_any()) {}

  [[nodiscard]] bool clears(const Asked& asked) const noexcept {
    return scheduler_.permits(asked.scheduler_name()) && (any_node_ || asked.node_name().empty()) &&
           permits_priority_class(asked);
  }

  template <class Reports>
  void run(const Asked& asked, Reports& reports) const {
    if (!scheduler_.required() && asked.exempt().contain_scheduler(asked.scheduler_name())) {
      reports.exempt(SortOfName::scheduler, asked.scheduler_name());
    } else if (!scheduler_.permits(asked.scheduler_name())) {
      report_scheduler(asked, reports);
    } else {
      reports.permitted(SortOfName::scheduler, asked.scheduler_name());
    }
    if (asked.exempt().contain_node(asked.node_name())) {
      reports.exempt(SortOfName::node, asked.node_name());
    } else if (!any_node_ && !asked.node_name().empty()) {
      report_node(asked, reports);
    } else {
      reports.permitted(SortOfName::node, asked.node_name());
    }
    if (asked.priority_class_name().empty())
      reports.exempt(SortOfName::priority_class, asked.written_priority_class_name());
    if (!permits_priority_class(asked)) {
      report_priority_class(asked, reports);
    } else {
      reports.permitted(SortOfName::priority_class, asked.priority_class_name());
    }
  }

 private:
  [[nodiscard]] bool permits_priority_class(const Asked& asked) const noexcept {
    const std::string_view name = asked.priority_class_name();
    return name.empty() ? !priority_class_.required() : priority_class_.permits(name);
  }

  template <class Reports>
  static void report_node(const Asked& asked, Reports& reports) {
    reports.deny(ViolationCode::node_name_not_allowed, {"spec", "nodeName"}, asked.node_name());
  }
  template <class Reports>
  void report_scheduler(const Asked& asked, Reports& reports) const {
    const FieldPath field{"spec", "schedulerName"};
    if (scheduler_.required()) {
      reports.require(ViolationCode::scheduler_name_required, field, asked.scheduler_name(),
                      {"required", "schedulerNames"}, reports.permitted_scheduler_names());
    } else {
      reports.deny(ViolationCode::scheduler_name_not_allowed, field, asked.scheduler_name(),
                   reports.permitted_scheduler_names());
    }
  }
  template <class Reports>
  void report_priority_class(const Asked& asked, Reports& reports) const {
    const FieldPath field{"spec", "priorityClassName"};
    const std::string_view name = asked.written_priority_class_name();
    if (priority_class_.required()) {
      reports.require(ViolationCode::priority_class_name_required, field, name,
                      {"required", "priorityClassNames"}, reports.permitted_priority_class_names());
    } else {
      reports.deny(ViolationCode::priority_class_name_not_allowed, field, name,
                   reports.permitted_priority_class_names());
    }
  }

  NameRule scheduler_;
  NameRule priority_class_;
  bool any_node_;  ///< a pod may name its node, past every scheduler
};

}  // namespace schedpol::scheduling_policy::detail
