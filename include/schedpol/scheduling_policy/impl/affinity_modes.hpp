// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One mode of one kind of affinity: what `required` and `allowed` together permit, and what `required`
/// requires. Built once, then only read.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

using schedpol::detail::part_of;

/// Where the part that rules are about stands in the `i`th term of a mode.
template <class Term>
class PartPlace {
 public:
  PartPlace(const PathBuilder& mode, std::size_t i) noexcept
      : above_(is_in_list ? mode.child("nodeSelectorTerms") : mode.index(i)),
        part_(is_in_list ? above_.index(i) : above_.child(name)),
        place_(std::is_same_v<Term, PodAffinityTerm> ? above_ : part_) {}
  PartPlace(const PartPlace&) = delete;  // its places point to one another
  PartPlace& operator=(const PartPlace&) = delete;
  ~PartPlace() = default;

  [[nodiscard]] const PathBuilder& operator*() const noexcept { return place_; }

 private:
  static constexpr bool is_in_list = std::is_same_v<Term, NodeSelectorTerm>;
  static constexpr std::string_view name =
      std::is_same_v<Term, PreferredSchedulingTerm> ? "preference" : "podAffinityTerm";

  PathBuilder above_;
  PathBuilder part_;
  const PathBuilder& place_;
};

/// Where a kind of affinity stands in a pod, and its entry in `required`.
struct KindPlaces {
  KindPlaces(std::string_view in_pod, std::string_view in_policy)
      : kind(affinity.child(in_pod)), entry(affinities.child(in_policy)) {}
  KindPlaces(const KindPlaces&) = delete;  // its places point to one another
  KindPlaces& operator=(const KindPlaces&) = delete;
  ~KindPlaces() = default;

  PathBuilder object{};
  PathBuilder spec = object.child("spec");
  PathBuilder affinity = spec.child(affinity_field.field);
  PathBuilder kind;
  PathBuilder required = object.child(required_section.name);
  PathBuilder affinities = required.child(affinity_field.rules_field);
  PathBuilder entry;
};

/// What a listener is told of items in one mode of a kind.
class ModeEvents {
 public:
  ModeEvents(const KindPlaces& kind, std::string_view mode, CheckListener& listener) noexcept
      : kind_(kind.kind.step().name),
        mode_(mode),
        place_(kind.kind.child(mode)),
        entry_(kind.entry.child(mode)),
        listener_(listener) {}
  ModeEvents(const ModeEvents&) = delete;  // who listens is told of its places
  ModeEvents& operator=(const ModeEvents&) = delete;
  ~ModeEvents() = default;

  /// Where the mode stands in the pod, and in `required`.
  [[nodiscard]] const PathBuilder& place() const noexcept { return place_; }
  [[nodiscard]] const PathBuilder& entry() const noexcept { return entry_; }

  [[nodiscard]] CheckListener& listener() const noexcept { return listener_; }

  /// The places outlive the event.
  [[nodiscard]] CheckEvent event(Verdict verdict, const CheckedItem& item, const PathBuilder& field,
                                 const PatternIndex* patterns = nullptr) const noexcept {
    return {affinity_field.codes, verdict, item, &field, nullptr, kind_, mode_, patterns};
  }
  [[nodiscard]] CheckEvent event(Verdict verdict, const CheckedItem& item) const noexcept {
    return event(verdict, item, place_);
  }
  /// What is required in the mode by an entry in it, or by the mode itself.
  [[nodiscard]] CheckEvent requirement(bool is_met, std::string_view what,
                                       const PathBuilder& entry) const noexcept {
    const Verdict verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing;
    return {affinity_field.codes, verdict, what, &place_, &entry, kind_, mode_};
  }

 private:
  std::string_view kind_;
  std::string_view mode_;
  PathBuilder place_;
  PathBuilder entry_;
  CheckListener& listener_;
};

/// What `required` and `allowed` say of a mode of any kind.
struct ModeRule {
  bool any;        ///< everything is permitted in it
  bool mentioned;  ///< they say something of it
  bool asks;       ///< `required` asks for a term in it, whichever

  /// `any_of_kind`: the kind is permitted whole, whatever the two say.
  template <class Rule>
  ModeRule(const AnyOr<Rule>& required, const AnyOr<Rule>& allowed, bool any_of_kind)
      : any(any_of_kind || required.is_any() || allowed.is_any()),
        mentioned(any || required.is_listed() || allowed.is_listed()),
        asks(required.is_any()) {}
};

class NodeModeRule : public ModeRule {
 public:
  NodeModeRule(const AnyOr<NodeAffinityRule>& required, const AnyOr<NodeAffinityRule>& allowed,
               bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind),
        expressions_(permitted(required, allowed, &TermPattern::match_expressions)),
        fields_(permitted(required, allowed, &TermPattern::match_fields)),
        most_of_key_(std::max(expressions_.most_of_key(), fields_.most_of_key())) {
    for (const TermPattern& term : required.listed().node_selector_terms)
      required_.emplace_back(term);
  }

  /// Patterns that one value is held against, at most.
  [[nodiscard]] std::size_t most_of_key() const noexcept { return most_of_key_; }

  /// `required` lists terms.
  [[nodiscard]] bool requires_terms() const noexcept { return !required_.empty(); }

  /// Whether every expression of every term is permitted by itself.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    std::size_t values = 0;
    for (const Term& term : terms) {
      values += parts_of(part_of(term));
      if (values * most_of_key_ > max_matched_values) return false;
      const auto& [expressions, fields] = part_of(term);
      if (!expressions_.match_each(expressions) || !fields_.match_each(fields)) return false;
    }
    return true;
  }

  /// Whether an expression is permitted by itself, in that list of a term.
  [[nodiscard]] bool permits(
      const NodeSelectorRequirement& expression,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    const bool in_expressions = list == &NodeSelectorTerm::match_expressions;
    return (in_expressions ? expressions_ : fields_).match(expression);
  }

  /// Whether every operator is one of Kubernetes, but in what is exempt; there is no default for an
  /// empty one.
  template <class Term>
  [[nodiscard]] static bool are_known(const std::vector<Term>& terms,
                                      const ExemptTerms<NodeAffinity>& exempt) noexcept {
    const auto are_known_in = [&](const Term& term, auto list) {
      const std::vector<NodeSelectorRequirement>& all = part_of(term).*list;
      return schedpol::detail::all_of(all, [&](const NodeSelectorRequirement& each) {
        return (each.operator_.known() && each.operator_ != NodeSelectorOperator::unset) ||
               (std::is_same_v<Term, NodeSelectorTerm> && exempt.contain(each, list));
      });
    };
    return schedpol::detail::all_of(terms, [&](const Term& term) {
      return (are_known_in(term, &NodeSelectorTerm::match_expressions) &&
              are_known_in(term, &NodeSelectorTerm::match_fields)) ||
             exempt.contain(term);
    });
  }

  /// Tells whether each expression is permitted by itself.
  template <class Term>
  void check_parts(const std::vector<Term>& terms, const ExemptTerms<NodeAffinity>& exempt,
                   const ModeEvents& events) const {
    constexpr bool by_expression = std::is_same_v<Term, NodeSelectorTerm>;
    std::size_t left = max_matched_values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PartPlace<Term> place(events.place(), i);
      const NodeSelectorTerm& term = part_of(terms[i]);
      if (is_exempt_whole(terms[i], exempt)) {
        events.listener().on_event(events.event(Verdict::exempt, &term, *place));
        continue;
      }
      for (const bool is_field : {false, true}) {
        const auto list =
            is_field ? &NodeSelectorTerm::match_fields : &NodeSelectorTerm::match_expressions;
        const PatternIndex& patterns = is_field ? fields_ : expressions_;
        const PathBuilder in_list = (*place).child(is_field ? "matchFields" : "matchExpressions");
        for (std::size_t j = 0; j < (term.*list).size(); ++j) {
          const NodeSelectorRequirement& expression = (term.*list)[j];
          const std::size_t compared = most_of_key_ * (1 + expression.values.size());
          const bool is_permitted = compared <= left && patterns.match(expression);
          left -= std::min(left, compared);
          if (is_permitted && !events.listener().wants_everything()) continue;
          const Verdict verdict = by_expression && exempt.contain(expression, list)
                                      ? Verdict::exempt
                                  : is_permitted ? Verdict::permitted
                                                 : Verdict::not_permitted;
          const PathBuilder at = in_list.index(j);
          events.listener().on_event(
              events.event(verdict, CheckedExpression{&expression, is_field}, at, &patterns));
        }
      }
    }
  }

  /// Tells whether what is required is there. `every_term`: in all terms, not in one. `pairs` stand in
  /// each term, and in one alone where there are none.
  template <class Term, class Pairs>
  void check_required(const std::vector<Term>& terms, const Pairs& pairs, bool every_term,
                      const ModeEvents& events) const {
    if (asks)
      events.listener().on_event(
          events.requirement(!terms.empty() || !pairs.empty(), "", events.entry()));
    const PathBuilder entries = events.entry().child("nodeSelectorTerms");
    const bool can_hold = can_hold_required(terms, pairs);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const bool is_met = can_hold && hold_required(i, terms, pairs, every_term);
      const PathBuilder entry = entries.index(i);
      events.listener().on_event(events.requirement(is_met, required_[i].text, entry));
    }
  }

  /// Whether each of some terms, beside `pairs`, holds all the terms that `required` lists.
  template <class Pairs>
  [[nodiscard]] bool is_held(const std::vector<NodeSelectorTerm>& terms, const Pairs& pairs) const {
    bool is_held = required_.empty() || can_hold_required(terms, pairs);
    for (std::size_t i = 0; is_held && i < required_.size(); ++i)
      is_held = hold_required(i, terms, pairs, true);
    return is_held;
  }

 private:
  using Patterns = AnyOr<std::vector<RequirementPattern>>;

  /// Whether any terms, or pairs, are there to hold what is required, and no more than may be compared
  /// with all of it: `max_matched_values`.
  template <class Term, class Pairs>
  [[nodiscard]] bool can_hold_required(const std::vector<Term>& terms,
                                       const Pairs& pairs) const noexcept {
    std::size_t patterns = 1;
    for (const RequiredTerm& term : required_)
      patterns += 1 + term.expressions.patterns() + term.fields.patterns();
    const std::size_t places = std::max<std::size_t>(terms.size(), 1);
    std::size_t values = pairs.empty() ? 0 : places * pairs.size();
    if (terms.empty() && !pairs.empty()) values += parts_of(NodeSelectorTerm());
    for (const Term& term : terms) values += parts_of(part_of(term));
    return (!terms.empty() || !pairs.empty()) && values <= max_matched_values / patterns;
  }

  /// Whether terms, all or one of them, hold the `i`th that `required` lists.
  template <class Term, class Pairs>
  [[nodiscard]] bool hold_required(std::size_t i, const std::vector<Term>& terms,
                                   const Pairs& pairs, bool every_term) const noexcept {
    const auto holds = [&](const auto& term) {
      return pairs.empty() ? required_[i].holds(part_of(term), NoPairs{})
                           : required_[i].holds(part_of(term), pairs);
    };
    if (terms.empty()) return holds(NodeSelectorTerm());
    return every_term ? schedpol::detail::all_of(terms, holds)
                      : schedpol::detail::any_of(terms, holds);
  }

  /// What one list of expressions in the terms of the mode may hold. Any is every expression with
  /// an operator of Kubernetes.
  PatternIndex permitted(const AnyOr<NodeAffinityRule>& required,
                         const AnyOr<NodeAffinityRule>& allowed,
                         Patterns TermPattern::*list) const {
    return PatternIndex([&](auto&& add) {
      bool everything = any;
      for (const AnyOr<NodeAffinityRule>* rule : {&required, &allowed}) {
        for (const TermPattern& term : rule->listed().node_selector_terms) {
          everything |= (term.*list).is_any();
          for (const RequirementPattern& pattern : (term.*list).listed()) add(pattern);
        }
      }
      if (everything) add(RequirementPattern{schedpol::any, schedpol::any, schedpol::any});
    });
  }

  /// An empty required term, of which there is nothing else to say, and any preferred one.
  [[nodiscard]] static bool is_exempt_whole(const NodeSelectorTerm& term,
                                            const ExemptTerms<NodeAffinity>& exempt) noexcept {
    return is_empty(term) && exempt.contain(term);
  }
  [[nodiscard]] static bool is_exempt_whole(const PreferredSchedulingTerm& term,
                                            const ExemptTerms<NodeAffinity>& exempt) noexcept {
    return exempt.contain(term);
  }

  PatternIndex expressions_;
  PatternIndex fields_;
  std::size_t most_of_key_;  ///< patterns of both that one value is held against
  std::vector<RequiredTerm> required_;
};

class PodModeRule : public ModeRule {
 public:
  PodModeRule(const AnyOr<PodAffinityRule>& required, const AnyOr<PodAffinityRule>& allowed,
              bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind), required_(required.listed().topology_keys) {
    Texts keys = required.listed().topology_keys;
    for (const std::string& key : allowed.listed().topology_keys) keys.push_back(key);
    permitted_ = schedpol::detail::TextSet(keys);
    const Texts& wanted = required.listed().topology_keys;
    for (const std::string_view key : std::set<std::string_view>(wanted.begin(), wanted.end()))
      required_text_.append(required_text_.empty() ? "topologyKey " : " or ").append(key);
  }

  /// Whether all words in the terms are of Kubernetes: there are none.
  [[nodiscard]] static bool are_known(const auto& /*terms*/, const auto& /*exempt*/) noexcept {
    return true;
  }

  /// Whether the topology key of every term is permitted.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    return any || schedpol::detail::all_of(terms, [&](const Term& term) {
             return permitted_.contains(part_of(term).topology_key);
           });
  }

  /// Whether a term with this key is permitted by itself.
  [[nodiscard]] bool permits(std::string_view topology_key) const noexcept {
    return any || permitted_.contains(topology_key);
  }

  /// Tells whether the topology key of each term is permitted.
  template <class Term>
  void check_parts(const std::vector<Term>& terms, const ExemptTerms<PodAffinity>& exempt,
                   const ModeEvents& events) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PodAffinityTerm& term = part_of(terms[i]);
      const PartPlace<Term> place(events.place(), i);
      const PathBuilder at_key = (*place).child("topologyKey");
      const bool is_permitted = permitted_.contains(term.topology_key);
      events.listener().on_event(
          exempt.contain(terms[i])
              ? events.event(Verdict::exempt, &term, *place)
              : events.event(is_permitted ? Verdict::permitted : Verdict::not_permitted,
                             std::string_view(term.topology_key), at_key));
    }
  }

  /// Tells whether what is required is there: one term with one of the keys is enough.
  template <class Term>
  void check_required(const std::vector<Term>& terms, NoPairs, bool,
                      const ModeEvents& events) const {
    if (asks) events.listener().on_event(events.requirement(!terms.empty(), "", events.entry()));
    if (required_text_.empty()) return;
    const bool is_met = schedpol::detail::any_of(
        terms, [&](const Term& term) { return required_.contains(part_of(term).topology_key); });
    events.listener().on_event(events.requirement(is_met, required_text_, events.entry()));
  }

 private:
  schedpol::detail::TextSet permitted_;
  schedpol::detail::TextSet required_;
  std::string required_text_;  ///< empty where no key is required
};

/// How the modes of a kind are ruled.
template <class Rule>
using ModeRuleOf =
    std::conditional_t<std::is_same_v<Rule, NodeAffinityRule>, NodeModeRule, PodModeRule>;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
