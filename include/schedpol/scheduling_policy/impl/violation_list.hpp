// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The denials of `check` as violations, with the permitted values.

#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/permitted.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The value of a violation, or of an item that is explained.
inline std::string text_of(const CheckedItem& item) {
  if (item.pair.value != nullptr) return *item.pair.value;
  if (item.toleration != nullptr) return schedpol::to_string(*item.toleration);
  if (item.spread_constraint != nullptr) return schedpol::to_string(*item.spread_constraint);
  if (item.expression.requirement != nullptr)
    return schedpol::to_string(*item.expression.requirement);
  if (item.node_term != nullptr) return schedpol::to_string(*item.node_term);
  if (item.pod_term != nullptr) return schedpol::to_string(*item.pod_term);
  if (item.node_terms != nullptr) return to_string(*item.node_terms);
  if (item.pod_terms != nullptr) return to_string(*item.pod_terms);
  return std::string(item.text);
}

inline std::vector<Violation> one_violation(Violation&& violation) {
  std::vector<Violation> violations;
  violations.push_back(std::move(violation));
  return violations;
}

/// The one violation where no policy decides.
inline Violation undecided(PodKind kind, const EffectivePolicy& effective) {
  return {
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      field_path(kind, {"spec"}), "", effective.policies()};
}

/// The topology keys that the two sections list in a mode of pod affinity.
struct PermittedInMode {
  std::string_view kind{};
  std::string_view mode{};
  Names topology_keys{};
};

class ViolationList final : public CheckListener {
 public:
  ViolationList(PodKind kind, const EffectivePolicy& effective) noexcept
      : CheckListener(Wants::denials), kind_(kind), effective_(effective) {}

  void on_event(const CheckEvent& event) override {
    if (!denies(event.verdict)) return;
    Violation& violation = violations_.emplace_back();
    violation.field = event.field->path(template_path(kind_));
    violation.value = text_of(event.item);
    if (event.verdict == Verdict::requirement_missing) {
      violation.code = event.codes.missing;
      violation.policies = effective_.sources_of(event.entry->path());
    } else {
      violation.code = event.codes.not_permitted;
      violation.policies = effective_.policies();
      violation.detail = unknown_word_in(event.item);
    }
    if (violation.detail.empty()) violation.permitted = permitted(event);
  }

  [[nodiscard]] std::vector<Violation> take() && { return std::move(violations_); }

 private:
  /// What no policy whatsoever permits; empty where it is none of that.
  static std::string unknown_word_in(const CheckedItem& item) {
    using schedpol::detail::unknown_word;
    if (const Toleration* toleration = item.toleration) {
      if (!toleration->operator_.known()) return unknown_word("operator", toleration->operator_);
      if (!toleration->effect.known()) return unknown_word("effect", toleration->effect);
    }
    if (const TopologySpreadConstraint* constraint = item.spread_constraint)
      if (!constraint->when_unsatisfiable.known())
        return unknown_word("whenUnsatisfiable", constraint->when_unsatisfiable);
    if (const NodeSelectorRequirement* requirement = item.expression.requirement) {
      const auto& operator_ = requirement->operator_;
      if (!operator_.known()) return unknown_word("operator", operator_);
      if (operator_ == NodeSelectorOperator::unset) return "it has no operator";
    }
    return {};
  }

  /// What would have been permitted in the place of the item.
  [[nodiscard]] Names permitted(const CheckEvent& event) {
    Names names;
    with_row(event.codes, [&](const auto& row) { names = permitted(row, event); });
    return names;
  }
  [[nodiscard]] Names permitted(const NameField& row, const CheckEvent&) const {
    return permitted_names(spec().required.*row.rules, spec().allowed.*row.rules,
                           spec().defaults.*row.member);
  }
  [[nodiscard]] static Names permitted(const NodeNameField&, const CheckEvent&) { return {}; }
  [[nodiscard]] Names permitted(const NodeSelectorField&, const CheckEvent& event) const {
    return permitted_values(spec(), *event.item.pair.key);
  }
  [[nodiscard]] Names permitted(const SpreadConstraintsField& row, const CheckEvent&) const {
    ShortList patterns;
    for (const SpreadConstraintPattern& each : (spec().allowed.*row.rules).listed())
      patterns.add(to_string(each));
    return std::move(patterns).take();
  }
  template <class Item>
  [[nodiscard]] Names permitted(const AllowedNamesField<Item>& row, const CheckEvent&) const {
    return permitted_texts((spec().allowed.*row.rules).listed(), nullptr);
  }
  [[nodiscard]] Names permitted(const TolerationsField&, const CheckEvent& event) {
    if (event.verdict == Verdict::requirement_missing) return {};
    if (!tolerations_) tolerations_.emplace(spec(), *event.patterns);
    return tolerations_->at(event.item.toleration->key);
  }
  [[nodiscard]] Names permitted(const AffinityField&, const CheckEvent& event) {
    if (event.verdict == Verdict::requirement_missing) return {};
    if (const auto& [requirement, is_field] = event.item.expression; requirement != nullptr)
      return (is_field ? fields_ : expressions_).at(requirement->key, *event.patterns);
    return permitted_topology_keys(event);
  }

  /// All of a mode is looked at before the next one.
  [[nodiscard]] const Names& permitted_topology_keys(const CheckEvent& event) {
    if (in_mode_.kind == event.kind && in_mode_.mode == event.mode) return in_mode_.topology_keys;
    ShortList keys;
    for (const auto* kind : {&pod_affinity_kind, &pod_anti_affinity_kind}) {
      if (kind->field != event.kind) continue;
      keys.add(listed_in(spec().required, *kind, event.mode).topology_keys);
      keys.add(listed_in(spec().allowed, *kind, event.mode).topology_keys);
    }
    in_mode_ = {event.kind, event.mode, std::move(keys).take()};
    return in_mode_.topology_keys;
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  PodKind kind_;
  const EffectivePolicy& effective_;
  std::vector<Violation> violations_;
  std::optional<PermittedTolerations> tolerations_;  ///< once one is denied
  NamedPatterns<RequirementPattern> expressions_;
  NamedPatterns<RequirementPattern> fields_;
  PermittedInMode in_mode_;  ///< the one looked at last
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
