// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rule 6 of `check`: affinity. First checks, kind by kind, that everything is permitted; then, kind by
/// kind, that requirements are met.

#include <schedpol/scheduling_policy/impl/affinity_modes.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// One kind of affinity.
template <class Kind, class Rule>
class KindCheck {
 public:
  using Terms = decltype(terms_of(Kind{}));
  using ModeRule = ModeRuleOf<Rule>;

  KindCheck(const AffinityKind<Kind, Rule>& kind, const SchedulingPolicySpec& spec)
      : KindCheck(kind, spec.required.affinities.listed().*kind.rules,
                  spec.allowed.affinities.listed().*kind.rules, spec.allowed.affinities.is_any(),
                  spec.defaults.affinity ? (*spec.defaults.affinity).*kind.member : std::nullopt) {
    if (!default_ || terms_of(*default_).required.empty()) return;
    const auto& terms = terms_of(*default_).required;
    if constexpr (std::is_same_v<Kind, NodeAffinity>) {
      for (const NodeSelectorTerm& term : terms) compiled_.push_back(CompiledTerm(term));
      parts_ = {join(terms)};
      joins_ = must_join(terms, NoPairs{}, true);
      if (joins_ && CompiledTerm(parts_.front()).is_met) joined_ = parts_;
    } else {
      parts_ = terms;
    }
  }

  [[nodiscard]] const ModeRule& required_mode_rule() const noexcept { return required_mode_; }
  [[nodiscard]] const ModeRule& preferred_mode_rule() const noexcept { return preferred_mode_; }

  /// What the default gives to a pod that has nothing of the kind. `every_term`: what is required has
  /// to hold in every term of the pod.
  [[nodiscard]] Kind injected(bool every_term) const {
    Kind injected = default_ ? *default_ : Kind{};
    if constexpr (std::is_same_v<Kind, NodeAffinity>)
      if (every_term && joins_)
        injected.required_during_scheduling_ignored_during_execution = NodeSelector{joined_};
    return injected;
  }

  /// What of it is given to this pod: nothing that contradicts what the pod requires otherwise. Says
  /// of what is left out why, for a person.
  [[nodiscard]] Kind injected_into(const EffectivePod& pod,
                                   std::vector<std::string>& left_out) const {
    Kind injected = this->injected(pod.holds_in_every_term());
    if (!default_ || terms_of(*default_).required.empty()) return injected;
    if constexpr (std::is_same_v<Kind, NodeAffinity>) {
      const NodeContext context = pod.node_context();
      const ExemptPairs pairs = pod.exempt_pairs();
      std::vector<NodeSelectorTerm> terms = present(admitted_parts(context, left_out));
      if (left_out.empty() && context.terms().empty() && pairs.empty()) return injected;
      if (must_join(terms, pairs, pod.holds_in_every_term())) {
        NodeSelectorTerm joined = join(terms);
        terms.clear();
        const CompiledTerm compiled(joined);
        if (compiled.is_met && !context.admits(compiled.requirements)) {
          left_out.push_back(context.text_of(joined));
        } else if (compiled.is_met) {
          terms.push_back(std::move(joined));
        }
      }
      auto& required = injected.required_during_scheduling_ignored_during_execution;
      required.reset();
      if (!terms.empty()) required = NodeSelector{std::move(terms)};
    } else {
      const bool is_anti = kind_->member == pod_anti_affinity_kind.member;
      const auto& other = is_anti ? pod_affinity_kind : pod_anti_affinity_kind;
      auto& required = injected.required_during_scheduling_ignored_during_execution;
      schedpol::detail::erase_if(required, [&](const PodAffinityTerm& term) {
        if (!pod.contradicts(term, other.member)) return false;
        left_out.push_back("no node meets it and the pod's " + std::string(other.field) + " " +
                           in_backticks(schedpol::to_string(term)));
        return true;
      });
    }
    return injected;
  }

  /// The one term that the default's required node terms are given as where what is required has to
  /// hold in every term; none where they are given as they are, or not at all.
  [[nodiscard]] const auto& joined_default_terms() const noexcept { return joined_; }

  /// Whether both modes permit what there is in them, part by part.
  [[nodiscard]] bool permits(const std::optional<Kind>& kind) const noexcept {
    return !kind ||
           (permits_part_by_part(required_mode_,
                                 kind->required_during_scheduling_ignored_during_execution) &&
            permits_part_by_part(preferred_mode_,
                                 kind->preferred_during_scheduling_ignored_during_execution));
  }

  /// Tells what is permitted in either way.
  void check(const std::optional<Kind>& kind, const EffectivePod& pod,
             CheckListener& listener) const {
    if (!has_terms(kind)) return;
    const Terms terms = terms_of(*kind);
    const ExemptTerms<Kind> exempt = pod.exempt().of(kind_->member);
    const KindPlaces at(kind_->field, kind_->rules_field);
    if (!mentioned_ && !(exempt.contain(terms.required) && exempt.contain(terms.preferred))) {
      return listener.on_event({.codes = affinity_field.codes,
                                .verdict = Verdict::not_permitted,
                                .item = terms,
                                .field = &at.kind,
                                .kind = kind_->field});
    }
    const Terms by_default = default_ ? terms_of(*default_) : Terms{};
    // What of a default was given matters where a part is not permitted by itself.
    const bool may_be_injected_in_part =
        !parts_.empty() && (listener.wants_everything() || !permits(kind));
    const bool is_injected =
        is_injected_as(terms.required, by_default.required, exempt) ||
        (pod.holds_in_every_term() && is_injected_as(terms.required, joined_, exempt)) ||
        (may_be_injected_in_part && is_injected_in_part(terms.required, pod, exempt));
    const ModeEvents required(at, required_mode, listener);
    if (!is_one_event(required_mode_, Terms{.required = terms.required}, terms.required,
                      is_injected, exempt, required))
      required_mode_.check_parts(terms.required, exempt, required);
    const ModeEvents preferred(at, preferred_mode, listener);
    if (!is_one_event(preferred_mode_, Terms{.preferred = terms.preferred}, terms.preferred,
                      is_injected_as(terms.preferred, by_default.preferred, exempt), exempt,
                      preferred))
      preferred_mode_.check_parts(terms.preferred, exempt, preferred);
  }

  /// Tells whether what is required is there.
  void check_required(const EffectivePod& pod, CheckListener& listener) const {
    const Terms terms = terms_of(pod.spec().affinity, kind_->member);
    const KindPlaces at(kind_->field, kind_->rules_field);
    const auto pairs = [&] {
      if constexpr (std::is_same_v<Kind, NodeAffinity>) {
        return pod.exempt_pairs();
      } else {
        return NoPairs{};
      }
    }();
    if (asks_) {
      const bool is_met = !terms.empty() || !pairs.empty();
      listener.on_event(
          {.codes = affinity_field.codes,
           .verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing,
           .item = std::string_view(),
           .field = &at.kind,
           .entry = &at.entry,
           .kind = kind_->field});
    }
    required_mode_.check_required(terms.required, pairs, pod.holds_in_every_term(),
                                  ModeEvents(at, required_mode, listener));
    preferred_mode_.check_required(terms.preferred, NoPairs{}, false,
                                   ModeEvents(at, preferred_mode, listener));
  }

 private:
  template <class Term>
  [[nodiscard]] static bool permits_part_by_part(const ModeRule& mode,
                                                 const std::vector<Term>& terms) noexcept {
    return terms.empty() || (mode.mentioned && mode.permits(terms));
  }
  [[nodiscard]] static bool permits_part_by_part(
      const ModeRule& mode, const std::optional<NodeSelector>& selector) noexcept {
    return !selector || permits_part_by_part(mode, selector->node_selector_terms);
  }

  /// Whether terms are what the default gives, exempt items aside.
  template <class Term>
  [[nodiscard]] static bool is_injected_as(const std::vector<Term>& terms,
                                           const std::vector<Term>& injected,
                                           const ExemptTerms<Kind>& exempt) noexcept {
    return terms == injected || exempt.account_for_difference(terms, injected);
  }

  /// Whether terms are what of the default this pod was given. This allocates, so it is asked last,
  /// and only of terms that are nothing but parts of the default and exempt items.
  template <class Term>
  [[nodiscard]] bool is_injected_in_part(const std::vector<Term>& terms, const EffectivePod& pod,
                                         const ExemptTerms<Kind>& exempt) const {
    if (terms.empty()) return false;
    const auto is_part = [&](const Term& term) {
      return exempt.contain(term) || schedpol::detail::any_of(parts_, [&](const Term& of) {
               return exempt.adds_to_part(term, of);
             });
    };
    if (!schedpol::detail::all_of(terms, is_part)) return false;
    // Of empty terms, which no node meets, one stays where a policy of the cluster is merged.
    if constexpr (std::is_same_v<Term, NodeSelectorTerm>)
      if (is_empty(parts_.front())) return true;
    std::vector<std::string> left_out;
    const Kind injected = injected_into(pod, left_out);
    return is_injected_as(terms, terms_of(injected).required, exempt) ||
           hold_what_is_injected(terms, terms_of(injected).required, pod, exempt);
  }

  /// Whether parts of the default hold what is given to the pod now, and more that only keeps nodes away:
  /// that was given before a policy of the cluster contradicted it. A term of the default that no node
  /// meets beside the policy's may be gone where a node meets another one, for that is how the policy's
  /// are merged.
  [[nodiscard]] bool hold_what_is_injected(const std::vector<NodeSelectorTerm>& terms,
                                           const std::vector<NodeSelectorTerm>&,
                                           const EffectivePod& pod,
                                           const ExemptTerms<Kind>& exempt) const {
    const NodeContext context = pod.node_context();
    std::vector<std::string> left_out;
    const auto parts = admitted_parts(context, left_out);
    const std::vector<NodeSelectorTerm> injected = present(parts);
    if (injected == terms_of(*default_).required || !exempt.may_compare(terms, injected))
      return false;
    const auto holds_one = [&](const NodeSelectorTerm& term) {
      return schedpol::detail::any_of(
          injected, [&](const NodeSelectorTerm& each) { return holds_all(term, each); });
    };
    const auto is_held = [&](const NodeSelectorTerm& each) {
      return schedpol::detail::any_of(
          terms, [&](const NodeSelectorTerm& term) { return holds_all(term, each); });
    };
    bool leaves_a_node = false;
    for (const NodeSelectorTerm& term : terms) {
      const bool is_met = context.is_met(term);
      if (is_met && !holds_one(term)) return false;
      leaves_a_node = leaves_a_node || is_met;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i] || is_held(*parts[i]) || !context.is_met(*parts[i])) continue;
      if (!leaves_a_node || context.is_met(compiled_[i])) return false;
    }
    return true;
  }
  [[nodiscard]] bool hold_what_is_injected(const std::vector<PodAffinityTerm>& terms,
                                           const std::vector<PodAffinityTerm>& injected,
                                           const EffectivePod&,
                                           const ExemptTerms<Kind>& exempt) const {
    std::vector<PodAffinityTerm> all = terms_of(*default_).required;
    schedpol::detail::erase_if(all, [&](const PodAffinityTerm& term) {
      return !schedpol::detail::contains(terms, term) &&
             !schedpol::detail::contains(injected, term);
    });
    return is_injected_as(terms, all, exempt);
  }

  using Rules = AffinityModes<Rule>;

  KindCheck(const AffinityKind<Kind, Rule>& kind, const AnyOr<Rules>& required,
            const AnyOr<Rules>& allowed, bool any_kind, std::optional<Kind> by_default)
      : kind_(&kind),
        asks_(required.is_any()),
        any_(any_kind || required.is_any() || allowed.is_any()),
        required_mode_(required.listed().required_during_scheduling_ignored_during_execution,
                       allowed.listed().required_during_scheduling_ignored_during_execution, any_),
        preferred_mode_(required.listed().preferred_during_scheduling_ignored_during_execution,
                        allowed.listed().preferred_during_scheduling_ignored_during_execution,
                        any_),
        default_(std::move(by_default)),
        mentioned_(any_ || required.is_listed() || allowed.is_listed() || has_terms(default_)) {}

  /// Whether a mode is permitted or not as a whole, which is told: where it may hold anything, or what
  /// it holds is what the default gives, or nothing is said of it.
  template <class Term>
  [[nodiscard]] static bool is_one_event(const ModeRule& mode, const Terms& alone,
                                         const std::vector<Term>& terms, bool is_injected,
                                         const ExemptTerms<Kind>& exempt,
                                         const ModeEvents& events) {
    const bool is_exempt = exempt.contain(terms);  // where there are none, too
    const bool is_permitted =
        !is_exempt && (mode.any || is_injected) && ModeRule::are_known(terms, exempt);
    if (!is_permitted && (mode.mentioned || is_exempt)) return false;
    events.listener().on_event(
        events.event(is_permitted ? Verdict::permitted : Verdict::not_permitted, alone));
    return true;
  }

  /// What of each required term of the default is given beside what the pod has, one for one.
  [[nodiscard]] std::vector<std::optional<NodeSelectorTerm>> admitted_parts(
      const NodeContext& context, std::vector<std::string>& left_out) const {
    const std::vector<NodeSelectorTerm>& all = terms_of(*default_).required;
    std::vector<std::optional<NodeSelectorTerm>> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::optional<std::string> why;
      parts.push_back(context.admitted(all[i], compiled_[i], why));
      if (why) left_out.push_back(*std::move(why));
    }
    return parts;
  }
  static std::vector<NodeSelectorTerm> present(
      const std::vector<std::optional<NodeSelectorTerm>>& parts) {
    std::vector<NodeSelectorTerm> terms;
    for (const std::optional<NodeSelectorTerm>& part : parts)
      if (part) terms.push_back(*part);
    return terms;
  }

  /// Whether, as ORed terms, they would not meet what is required of each, unless each of them does.
  template <class Pairs>
  [[nodiscard]] bool must_join(const std::vector<NodeSelectorTerm>& terms, const Pairs& pairs,
                               bool every_term) const {
    return every_term && required_mode_.requires_terms() && terms.size() > 1 &&
           !required_mode_.is_held(terms, pairs);
  }
  static NodeSelectorTerm join(const std::vector<NodeSelectorTerm>& terms) {
    return {distinct(terms, &NodeSelectorTerm::match_expressions),
            distinct(terms, &NodeSelectorTerm::match_fields)};
  }

  /// One list of all terms, in order, of equal ones the first.
  static std::vector<NodeSelectorRequirement> distinct(
      const std::vector<NodeSelectorTerm>& terms,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) {
    // Different requirements have different texts.
    std::map<std::string, std::size_t, std::less<>> seen;
    std::vector<NodeSelectorRequirement> distinct;
    for (const NodeSelectorTerm& term : terms) {
      for (const NodeSelectorRequirement& requirement : term.*list)
        if (seen.try_emplace(to_string(requirement), distinct.size()).second)
          distinct.push_back(requirement);
    }
    return distinct;
  }

  const AffinityKind<Kind, Rule>* kind_;
  bool asks_;  ///< `required` asks for a term of the kind, in whichever mode
  bool any_;   ///< the kind is permitted whole
  ModeRule required_mode_;
  ModeRule preferred_mode_;
  std::optional<Kind> default_;           ///< what the default gives
  bool mentioned_;                        ///< by `required`, `allowed` or `default`
  std::vector<CompiledTerm> compiled_{};  ///< the default's required node terms, one for one
  bool joins_ = false;  ///< the default's required node terms are not given as they are
  std::decay_t<decltype(Terms{}.required)> joined_{};  ///< none where no node can meet it
  /// What the default's required terms hold: of node terms one with all their expressions.
  std::decay_t<decltype(Terms{}.required)> parts_{};
};

class AffinityCheck {
 public:
  AffinityCheck(const AffinityField& row, const SchedulingPolicySpec& spec)
      : node_(node_affinity_kind, spec),
        pod_(pod_affinity_kind, spec),
        pod_anti_(pod_anti_affinity_kind, spec),
        any_required_(!(spec.required.*row.rules).is_absent()) {}

  [[nodiscard]] const auto& of(const AffinityKind<NodeAffinity, NodeAffinityRule>&) const noexcept {
    return node_;
  }
  [[nodiscard]] const auto& of(
      const AffinityKind<PodAffinity, PodAffinityRule>& kind) const noexcept {
    return kind.member == pod_affinity_kind.member ? pod_ : pod_anti_;
  }

  /// Whether every part of every term is permitted, and nothing required.
  [[nodiscard]] bool permits_all(const AffinityField& row, const EffectivePod& pod) const noexcept {
    const std::optional<Affinity>& affinity = pod.spec().*row.in_pod;
    return !any_required_ && (!affinity || (node_.permits(affinity->node_affinity) &&
                                            pod_.permits(affinity->pod_affinity) &&
                                            pod_anti_.permits(affinity->pod_anti_affinity)));
  }

  [[nodiscard]] bool requires_any() const noexcept { return any_required_; }

  void run(const AffinityField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (const std::optional<Affinity>& affinity = pod.spec().*row.in_pod) {
      node_.check(affinity->node_affinity, pod, listener);
      pod_.check(affinity->pod_affinity, pod, listener);
      pod_anti_.check(affinity->pod_anti_affinity, pod, listener);
    }
    if (!any_required_) return;
    node_.check_required(pod, listener);
    pod_.check_required(pod, listener);
    pod_anti_.check_required(pod, listener);
  }

 private:
  KindCheck<NodeAffinity, NodeAffinityRule> node_;
  KindCheck<PodAffinity, PodAffinityRule> pod_;
  KindCheck<PodAffinity, PodAffinityRule> pod_anti_;
  bool any_required_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
