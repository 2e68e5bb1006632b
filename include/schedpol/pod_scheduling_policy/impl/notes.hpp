// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/pod_scheduling_policy/admit.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// Notes what one policy changes, and what of it is skipped. Fields are named as in a Pod.
class Notes {
 public:
  using Fields = std::initializer_list<std::string_view>;

  Notes(Injection& into, const std::string& policy, ChangeValues values)
      : into_(into), policy_(policy), values_(values) {}

  [[nodiscard]] bool show_values() const noexcept { return values_ == ChangeValues::shown; }

  [[nodiscard]] FieldPath path(Fields fields) const { return field_path(into_.pod.kind, fields); }

  /// `to` is called for the text of the new value where it is shown.
  template <class Text>
  void change(FieldPath field, std::optional<std::string> before, Text&& to) {
    if (into_.changes.empty()) into_.changes.reserve(usual_changes);
    Change& change = into_.changes.emplace_back();
    change.field = std::move(field);
    change.policy = policy_;
    if (!show_values()) return;
    change.from = std::move(before);
    change.to = to();
  }

  void skip(FieldPath field, std::string reason) {
    into_.skipped.push_back({policy_, std::move(field), std::move(reason)});
  }
  void skip(FieldPath field, const std::string& has, const std::string& wanted) {
    skip(std::move(field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted));
  }

 private:
  /// More than most policies make, so that the list of changes rarely moves.
  static constexpr std::size_t usual_changes = 16;

  Injection& into_;
  const std::string& policy_;
  ChangeValues values_;
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail
