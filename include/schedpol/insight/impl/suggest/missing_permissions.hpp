// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The least that `allowed` has to say for what `check` does not permit: for each such item the narrowest
/// entry that permits it.

#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The narrowest pattern that matches a toleration, or an expression.
inline TolerationPattern pattern_for(const Toleration& toleration) {
  const bool is_equal = toleration.operator_ == TolerationOperator::unset;
  TolerationPattern pattern;
  if (toleration.key.empty()) {
    pattern.keys = any;
  } else {
    pattern.keys = {toleration.key};
  }
  pattern.operators = {is_equal ? TolerationOperator::equal : toleration.operator_};
  if (toleration.operator_ != TolerationOperator::exists && !toleration.value.empty())
    pattern.values = {toleration.value};
  if (toleration.effect == TaintEffect::unset) {
    pattern.effects = any;
  } else {
    pattern.effects = {toleration.effect};
  }
  return pattern;
}
inline RequirementPattern pattern_for(const NodeSelectorRequirement& expression) {
  RequirementPattern pattern{{expression.key}, {expression.operator_}, {}};
  std::vector<std::string> values = expression.values.vector();
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (!values.empty()) pattern.values = Texts(std::move(values));
  return pattern;
}
inline SpreadConstraintPattern pattern_for(const TopologySpreadConstraint& constraint) {
  SpreadConstraintPattern pattern{any, any};
  if (!constraint.topology_key.empty()) pattern.topology_keys = {constraint.topology_key};
  if (constraint.when_unsatisfiable != WhenUnsatisfiable::unset)
    pattern.when_unsatisfiable = {constraint.when_unsatisfiable};
  return pattern;
}

/// Hears what is not permitted, and calls `need` with a section that permits it and nothing else.
template <class Need>
class MissingPermissions final : public CheckListener {
 public:
  explicit MissingPermissions(Need need) : CheckListener(Wants::denials), need_(std::move(need)) {}

  /// Whether a requirement is not met, which no permission helps.
  [[nodiscard]] bool lacks_requirement() const noexcept { return lacks_requirement_; }
  /// Whether anything is denied.
  [[nodiscard]] bool denies() const noexcept { return denies_; }

  void on_event(const CheckEvent& event) override {
    if (!detail::denies(event.verdict)) return;
    denies_ = true;
    if (event.verdict == Verdict::requirement_missing) {
      lacks_requirement_ = true;
      return;
    }
    with_row(event.codes, [&](const auto& row) { permit(row, event); });
  }

 private:
  void permit(const NameField& row, const CheckEvent& event) {
    permit(row.rules, AnyOr<Texts>{event.item.text});
  }
  void permit(const NodeNameField& row, const CheckEvent&) {
    permit(row.scheduler.rules, AnyOr<Texts>(any));
  }
  void permit(const NodeSelectorField& row, const CheckEvent& event) {
    NodeSelectors one;
    one.try_emplace(*event.item.pair.key, AnyOr<Texts>{*event.item.pair.value});
    permit(row.rules, AnyOr<NodeSelectors>(std::move(one)));
  }
  void permit(const TolerationsField& row, const CheckEvent& event) {
    permit(row.rules, list_of(pattern_for(*event.item.toleration)));
  }
  void permit(const SpreadConstraintsField& row, const CheckEvent& event) {
    permit(row.rules, list_of(pattern_for(*event.item.spread_constraint)));
  }
  template <class Item>
  void permit(const AllowedNamesField<Item>& row, const CheckEvent& event) {
    permit(row.rules, event.item.text.empty() ? AnyOr<Texts>(any) : AnyOr<Texts>{event.item.text});
  }
  void permit(const AffinityField&, const CheckEvent& event) {
    for_each_kind([&](const auto& kind) {
      if (kind.field == event.kind) permit_in_kind(kind, event);
    });
  }

  void permit_in_kind(const AffinityKind<NodeAffinity, NodeAffinityRule>& kind,
                      const CheckEvent& event) {
    const auto permit_expression = [&](std::string_view mode, bool is_field,
                                       const NodeSelectorRequirement& expression) {
      TermPattern term;
      (is_field ? term.match_fields : term.match_expressions) = list_of(pattern_for(expression));
      permit_in_mode(kind, mode, NodeAffinityRule{{std::move(term)}});
    };
    if (event.item.expression.requirement != nullptr)
      return permit_expression(event.mode, event.item.expression.is_field,
                               *event.item.expression.requirement);
    bool permits_some = false;
    const auto permit_terms = [&](std::string_view mode, const auto& terms) {
      for (const auto& term : terms) {
        for (const bool is_field : {false, true}) {
          const NodeSelectorTerm& part = schedpol::detail::part_of(term);
          for (const auto& each : is_field ? part.match_fields : part.match_expressions) {
            permits_some = true;
            permit_expression(mode, is_field, each);
          }
        }
      }
    };
    permit_terms(required_mode, event.item.node_terms->required);
    permit_terms(preferred_mode, event.item.node_terms->preferred);
    // Terms without an expression only a mode of anything permits.
    if (permits_some) return;
    permit_any(kind, required_mode, event.item.node_terms->required);
    permit_any(kind, preferred_mode, event.item.node_terms->preferred);
  }
  void permit_in_kind(const AffinityKind<PodAffinity, PodAffinityRule>& kind,
                      const CheckEvent& event) {
    if (event.item.is_text)
      return permit_in_mode(kind, event.mode, PodAffinityRule{{event.item.text}});
    for (const PodAffinityTerm& term : event.item.pod_terms->required)
      permit_in_mode(kind, required_mode, PodAffinityRule{{term.topology_key}});
    for (const WeightedPodAffinityTerm& term : event.item.pod_terms->preferred)
      permit_in_mode(kind, preferred_mode, PodAffinityRule{{term.pod_affinity_term.topology_key}});
  }
  template <class Kind, class Term>
  void permit_any(const Kind& kind, std::string_view mode, const std::vector<Term>& terms) {
    if (!terms.empty()) permit_in_mode(kind, mode, any);
  }
  template <class Kind, class Rule>
  void permit_in_mode(const AffinityKind<Kind, Rule>& kind, std::string_view mode,
                      std::type_identity_t<AnyOr<Rule>> permitted) {
    AffinityModes<Rule> modes;
    (mode == required_mode ? modes.required_during_scheduling_ignored_during_execution
                           : modes.preferred_during_scheduling_ignored_during_execution) =
        std::move(permitted);
    AffinityRules rules;
    rules.*kind.rules = std::move(modes);
    permit(affinity_field.rules, AnyOr<AffinityRules>(std::move(rules)));
  }

  template <class Pattern>
  static AnyOr<std::vector<Pattern>> list_of(Pattern pattern) {
    return std::vector<Pattern>{std::move(pattern)};
  }
  template <class Rules>
  void permit(AnyOr<Rules> PolicySection::*rules, AnyOr<Rules> permitted) {
    PolicySection section;
    section.*rules = std::move(permitted);
    need_(std::move(section));
  }

  Need need_;
  bool lacks_requirement_ = false;
  bool denies_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
