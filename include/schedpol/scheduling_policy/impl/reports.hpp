// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the rules find in one pod, in the order in which they find it: the violations. What they
/// find good goes to whoever explains, in the place of this class.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/names.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/permitted.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class Reports {
 public:
  using Place = schedpol::detail::Place;

  /// Adds to `violations`.
  Reports(PodKind kind, const EffectivePolicy& effective,
          std::vector<Violation>& violations) noexcept
      : kind_(kind), effective_(effective), violations_(violations) {}

  /// Permitted by none of the policies. `field` is a place in the pod.
  void deny(ViolationCode code, const FieldPath& field, std::string_view value,
            Names permitted = {}, std::string detail = {}) {
    add(code, field, value, effective_.policies(), std::move(permitted), std::move(detail));
  }
  void deny(ViolationCode code, const Place& field, std::string_view value, Names permitted = {},
            std::string detail = {}) {
    deny(code, field.path(), value, std::move(permitted), std::move(detail));
  }

  /// Required by the policies behind `entry`, a place in the merged spec.
  void require(ViolationCode code, const FieldPath& field, std::string_view value,
               const FieldPath& entry, Names permitted = {}) {
    add(code, field, value, effective_.sources_of(entry), std::move(permitted), {});
  }
  void require(ViolationCode code, const Place& field, std::string_view value, const Place& entry) {
    require(code, field.path(), value, entry.path());
  }

  [[nodiscard]] Names permitted_scheduler_names() const {
    return permitted_names(spec().required.scheduler_names, spec().allowed.scheduler_names,
                           spec().defaults.scheduler_name);
  }
  [[nodiscard]] Names permitted_priority_class_names() const {
    return permitted_names(spec().required.priority_class_names,
                           spec().allowed.priority_class_names,
                           spec().defaults.priority_class_name);
  }
  [[nodiscard]] Names permitted_values(std::string_view node_selector_key) const {
    return detail::permitted_values(spec(), node_selector_key);
  }

  /// A toleration that is permitted by none of the policies, or by no policy whatsoever.
  void deny(const Toleration& toleration, const FieldPath& field) {
    constexpr ViolationCode code = ViolationCode::toleration_not_allowed;
    const std::string text = schedpol::to_string(toleration);
    if (!toleration.operator_.known())
      return deny(code, field, text, {}, unknown_word("operator", toleration.operator_));
    if (!toleration.effect.known())
      return deny(code, field, text, {}, unknown_word("effect", toleration.effect));
    if (!tolerations_) tolerations_ = permitted_tolerations(spec());
    deny(code, field, text, tolerations_->at(toleration.key));
  }

  /// The same of an expression; `permitted` is what its list may hold.
  void deny(const NodeSelectorRequirement& expression, const Place& field,
            PatternsByKey<RequirementPattern>& permitted) {
    constexpr ViolationCode code = ViolationCode::affinity_not_allowed;
    const std::string text = schedpol::to_string(expression);
    if (!expression.operator_.known())
      return deny(code, field, text, {}, unknown_word("operator", expression.operator_));
    if (expression.operator_ == NodeSelectorOperator::unset)
      return deny(code, field, text, {}, "it has no operator");
    deny(code, field, text, permitted.at(expression.key));
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  /// What is found good is not looked for, and not written down.
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
  template <class Word>
  static std::string unknown_word(std::string_view what, const OpenEnum<Word>& word) {
    return schedpol::detail::unknown_word(what, word);
  }

  void add(ViolationCode code, const FieldPath& field, std::string_view value, Names policies,
           Names permitted, std::string detail) {
    violations_.push_back({code, template_path(kind_).join(field), std::string(value),
                           std::move(policies), std::move(permitted), std::move(detail)});
  }

  PodKind kind_;
  const EffectivePolicy& effective_;
  std::vector<Violation>& violations_;
  std::optional<PatternsByKey<TolerationPattern>> tolerations_;  ///< once one is denied
};

}  // namespace schedpol::scheduling_policy::detail
