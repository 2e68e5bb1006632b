// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One mode of one kind of affinity: what `required` and `allowed` together permit in it, and what
/// `required` asks for. Made once, then only read.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

using schedpol::detail::part_of;

/// Calls `f` with the place of the part that rules are about in the `i`th term of a mode.
template <class Term, class F>
void at_part(const Term&, const PathBuilder& mode, std::size_t i, F&& f) {
  if constexpr (std::is_same_v<Term, NodeSelectorTerm>) {
    const PathBuilder terms = mode.child("nodeSelectorTerms");
    f(terms.index(i));
  } else if constexpr (std::is_same_v<Term, PodAffinityTerm>) {
    f(mode.index(i));
  } else {
    const PathBuilder term = mode.index(i);
    f(term.child(std::is_same_v<Term, PreferredSchedulingTerm> ? "preference" : "podAffinityTerm"));
  }
}

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

/// Tells of items in one mode of a kind.
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

  void report(Verdict verdict, const CheckedItem& item, const PathBuilder& field) const {
    listener_.report({affinity_field.codes, verdict, item, &field, nullptr, kind_, mode_});
  }
  /// What is required in the mode by an entry in it, or by the mode itself.
  void report_required(bool is_met, std::string_view what, const PathBuilder& entry) const {
    const Verdict verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing;
    listener_.report({affinity_field.codes, verdict, what, &place_, &entry, kind_, mode_});
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
    std::size_t left = max_matched_values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      at_part(terms[i], events.place(), i, [&](const PathBuilder& place) {
        const NodeSelectorTerm& term = part_of(terms[i]);
        if (is_exempt_whole(terms[i], exempt)) return events.report(Verdict::exempt, &term, place);
        const bool by_expression = std::is_same_v<Term, NodeSelectorTerm>;
        const auto check_list = [&](auto list, std::string_view name, const PatternIndex& index) {
          const PathBuilder in_list = place.child(name);
          for (std::size_t j = 0; j < (term.*list).size(); ++j) {
            const NodeSelectorRequirement& expression = (term.*list)[j];
            const bool is_exempt = by_expression && exempt.contain(expression, list);
            const std::size_t compared = most_of_key_ * (1 + expression.values.size());
            const bool is_permitted = compared <= left && index.match(expression);
            left -= std::min(left, compared);
            const Verdict verdict = is_exempt      ? Verdict::exempt
                                    : is_permitted ? Verdict::permitted
                                                   : Verdict::not_permitted;
            const bool is_field = list == &NodeSelectorTerm::match_fields;
            events.report(verdict, CheckedExpression{&expression, is_field}, in_list.index(j));
          }
        };
        check_list(&NodeSelectorTerm::match_expressions, "matchExpressions", expressions_);
        check_list(&NodeSelectorTerm::match_fields, "matchFields", fields_);
      });
    }
  }

  /// Tells whether what is required is there. `every_term`: in all terms, not in one. `pairs` stand in
  /// each term, and in one alone where there are none.
  template <class Term, class Pairs>
  void check_required(const std::vector<Term>& terms, const Pairs& pairs, bool every_term,
                      const ModeEvents& events) const {
    if (asks) events.report_required(!terms.empty() || !pairs.empty(), "", events.entry());
    const PathBuilder entries = events.entry().child("nodeSelectorTerms");
    for_each_required(terms, pairs, every_term, [&](std::size_t i, bool is_met) {
      events.report_required(is_met, required_[i].text, entries.index(i));
    });
  }

  /// Whether each of some terms, beside `pairs`, holds all the terms that `required` lists.
  template <class Pairs>
  [[nodiscard]] bool is_held(const std::vector<NodeSelectorTerm>& terms, const Pairs& pairs) const {
    bool is_held = true;
    for_each_required(terms, pairs, true, [&](std::size_t, bool is_met) { is_held &= is_met; });
    return is_held;
  }

 private:
  using Patterns = AnyOr<std::vector<RequirementPattern>>;

  /// Calls `f(i, is_met)` for the terms that `required` lists. None is met where to compare all would
  /// take more than `max_matched_values`.
  template <class Term, class Pairs, class F>
  void for_each_required(const std::vector<Term>& all, const Pairs& pairs, bool every_term,
                         F&& f) const {
    if (required_.empty()) return;
    static const std::vector<Term> one_empty(1);
    const bool has_pairs = !pairs.empty();
    const std::vector<Term>& terms = all.empty() && has_pairs ? one_empty : all;
    std::size_t patterns = 1;
    for (const RequiredTerm& term : required_)
      patterns += 1 + term.expressions.patterns() + term.fields.patterns();
    std::size_t values = has_pairs ? terms.size() * pairs.size() : 0;
    for (const Term& term : terms) values += parts_of(part_of(term));
    const bool are_too_many = values > max_matched_values / patterns;
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const auto holds = [&](const Term& term) {
        return has_pairs ? required_[i].holds(part_of(term), pairs)
                         : required_[i].holds(part_of(term), NoPairs{});
      };
      const bool can_hold = !are_too_many && !terms.empty();
      f(i, can_hold && (every_term ? schedpol::detail::all_of(terms, holds)
                                   : schedpol::detail::any_of(terms, holds)));
    }
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
      at_part(terms[i], events.place(), i, [&](const PathBuilder& place) {
        if (exempt.contain(terms[i])) return events.report(Verdict::exempt, &term, place);
        const bool is_permitted = permitted_.contains(term.topology_key);
        events.report(is_permitted ? Verdict::permitted : Verdict::not_permitted,
                      std::string_view(term.topology_key), place.child("topologyKey"));
      });
    }
  }

  /// Tells whether what is required is there: one term with one of the keys is enough.
  template <class Term>
  void check_required(const std::vector<Term>& terms, NoPairs, bool,
                      const ModeEvents& events) const {
    if (asks) events.report_required(!terms.empty(), "", events.entry());
    if (required_text_.empty()) return;
    const bool is_met = schedpol::detail::any_of(
        terms, [&](const Term& term) { return required_.contains(part_of(term).topology_key); });
    events.report_required(is_met, required_text_, events.entry());
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
