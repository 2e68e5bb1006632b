// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinities of one kind on which two policies differ, if they do. The modes and their defaults
/// are independent but for a kind that is required in whichever mode. In a mode the lists of terms
/// are tried that hold as little as one side requires: with one part more that it alone permits,
/// and, for each part of what the other requires, without any that would meet it.

#include <schedpol/core/affinity.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/compared.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// What a side says of one mode, whatever its default gives.
template <class Kind, class Rule>
const auto& rule_of(const Side& side, const AffinityKind<Kind, Rule>& kind, bool required) {
  const auto& check = Insides::of(side.policy).affinity.of(kind);
  return required ? check.required_mode_rule() : check.preferred_mode_rule();
}

/// Expressions with every operator. What they differ in besides stands once.
class Expressions {
 public:
  static constexpr std::array operators = {
      NodeSelectorOperator::in,     NodeSelectorOperator::not_in,
      NodeSelectorOperator::exists, NodeSelectorOperator::does_not_exist,
      NodeSelectorOperator::gt,     NodeSelectorOperator::lt};

  void add(NodeSelectorRequirement of_every_operator) {
    all_.push_back(std::move(of_every_operator));
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size() * operators.size(); }

  /// Valid until the next is asked for.
  [[nodiscard]] const NodeSelectorRequirement& at(std::size_t i) {
    NodeSelectorRequirement& expression = all_[i / operators.size()];
    expression.operator_ = operators[i % operators.size()];
    return expression;
  }

 private:
  std::vector<NodeSelectorRequirement> all_;
};

/// The lists of terms to try in one mode of node affinity.
class ComparedNodeMode {
 public:
  using Terms = std::vector<NodeSelectorTerm>;
  using List = std::vector<NodeSelectorRequirement> NodeSelectorTerm::*;
  using Mode = AnyOr<NodeAffinityRule> AffinityModes<NodeAffinityRule>::*;

  ComparedNodeMode(const Sides& sides, Mode mode, Budget& budget)
      : sides_(sides), mode_(mode), budget_(budget) {
    for (const List list : lists) collect(list);
  }

  /// Those that make up the smallest lists come first.
  [[nodiscard]] std::vector<Terms> run() {
    std::vector<Terms> all = {{}};
    for (std::size_t side = 0; side < 2; ++side)
      if (const auto least = term_holding(required(side), side)) all.push_back({*least});
    for (std::size_t side = 0; side < 2; ++side) add_from(side, all);
    return all;
  }

  [[nodiscard]] const std::vector<TermPattern>& required(std::size_t side) const {
    return rule(sides_[side].spec().required).node_selector_terms;
  }

  /// Terms without the expressions that a side does not permit.
  [[nodiscard]] Terms permitted(const Terms& terms, std::size_t side) const {
    Terms kept = terms;
    for (const List list : lists)
      for (NodeSelectorTerm& term : kept)
        std::erase_if(term.*list, [&](const auto& part) { return !permits(part, list, side); });
    return kept;
  }

  /// What a term must not hold: an expression in the list that a pattern matches, or any.
  struct Avoided {
    List list;
    std::optional<Pattern> pattern{};
  };
  static std::vector<Avoided> parts_of(const TermPattern& required) {
    std::vector<Avoided> parts;
    for (const List list : lists) {
      const auto& patterns = patterns_of(required, list);
      if (patterns.is_any()) parts.push_back({list});
      for (const RequirementPattern& pattern : patterns.listed())
        parts.push_back({list, Pattern(pattern)});
    }
    return parts;
  }

  /// A term with as little more than `term` in it as holds all that is required, which the side
  /// permits, where there is one.
  [[nodiscard]] std::optional<NodeSelectorTerm> term_holding(
      const std::vector<TermPattern>& all_required, std::size_t side,
      const Avoided* avoided = nullptr, NodeSelectorTerm term = {}) {
    for (const TermPattern& required : all_required) {
      const std::vector<Avoided> parts = parts_of(required);
      if (parts.empty()) return std::nullopt;  // it is never satisfied
      for (const Avoided& part : parts) {
        if (!budget_.spend(1 + (term.*part.list).size())) return std::nullopt;
        const NodeSelectorRequirement* found = nullptr;
        Expressions& expressions = parts_[which(part.list)];
        const bool avoid = avoided != nullptr && avoided->list == part.list;
        if (avoid && !avoided->pattern) return std::nullopt;
        const auto holds = [&](const NodeSelectorRequirement& expression) {
          return !part.pattern || part.pattern->matches(expression);
        };
        if (std::any_of((term.*part.list).begin(), (term.*part.list).end(), holds)) continue;
        for (std::size_t i = 0; i < expressions.size() && found == nullptr; ++i) {
          if (!budget_.spend()) return std::nullopt;
          if (!permitted_[side][which(part.list)][i]) continue;
          const NodeSelectorRequirement& expression = expressions.at(i);
          if (!holds(expression) || (avoid && avoided->pattern->matches(expression))) continue;
          found = &expression;
        }
        if (found == nullptr) return std::nullopt;
        (term.*part.list).push_back(*found);
      }
    }
    return term;
  }

 private:
  static constexpr std::array<List, 2> lists = {&NodeSelectorTerm::match_expressions,
                                                &NodeSelectorTerm::match_fields};

  static std::size_t which(List list) noexcept { return list == lists[0] ? 0 : 1; }
  static const AnyOr<std::vector<RequirementPattern>>& patterns_of(const TermPattern& term,
                                                                   List list) noexcept {
    return list == lists[0] ? term.match_expressions : term.match_fields;
  }

  [[nodiscard]] const NodeAffinityRule& rule(const PolicyRules& rules) const {
    return ((rules.affinities.listed().node_affinities).listed().*mode_).listed();
  }

  /// Of the expressions that the patterns of both sides tell apart, one each. What has all values
  /// that a pattern lists is permitted by no more patterns than what has some.
  void collect(List list) {
    const RequirementPattern anything{any, any, any};
    std::vector<const RequirementPattern*> patterns = {&anything};
    Alike keys;
    Named values;
    for (const Side& side : sides_) {
      if (&side != &sides_[0] && &side.spec() == &sides_[0].spec()) continue;
      for (const PolicyRules* rules : {&side.spec().required, &side.spec().allowed})
        for (const TermPattern& term : rule(*rules).node_selector_terms)
          for (const RequirementPattern& pattern : patterns_of(term, list).listed())
            patterns.push_back(&pattern);
    }
    for (const RequirementPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    Expressions& all = parts_[which(list)];
    const std::string other_key = keys.other();
    const std::string other_value = values.other();
    for (const RequirementPattern* pattern : patterns) {
      std::vector<std::string_view> with_keys = keys.of(pattern->keys.listed());
      if (pattern->keys.is_any()) with_keys = {other_key};
      Texts with_values = pattern->values.listed();
      if (pattern->values.is_any()) with_values = {other_value};
      for (const std::string_view key : with_keys) {
        if (!budget_.spend(Expressions::operators.size() * (2 + with_values.size()))) return;
        if (!with_values.empty()) all.add({std::string(key), {}, with_values});
        all.add({std::string(key), {}, {}});
      }
    }
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t i = 0; i < all.size(); ++i)
        permitted_[side][which(list)].push_back(permits(all.at(i), list, side));
  }

  [[nodiscard]] bool permits(const NodeSelectorRequirement& expression, List list,
                             std::size_t side) const {
    const bool is_required =
        mode_ == &NodeAffinityRules::required_during_scheduling_ignored_during_execution;
    return rule_of(sides_[side], node_affinity_kind, is_required).permits(expression, list);
  }

  void add_from(std::size_t side, std::vector<Terms>& all) {
    const auto& here = required(side);
    const auto least = term_holding(here, side);
    if (!least) return;
    all.push_back({*least, *least});
    all.push_back({*least, {}});
    for (const List list : lists) {
      const std::vector<bool>& permitted = permitted_[side][which(list)];
      const std::vector<bool>& there = permitted_[1 - side][which(list)];
      for (std::size_t i = 0; i < permitted.size(); ++i) {
        if (!permitted[i] || there[i]) continue;
        NodeSelectorTerm term = *least;
        (term.*list).push_back(parts_[which(list)].at(i));
        all.push_back({term});
        all.push_back({term, term});
        break;
      }
    }
    for (const TermPattern& avoided : required(1 - side)) add_without(here, side, avoided, all);
  }

  /// Terms that do not hold what is required over there: one that holds all that is required here,
  /// or one for each.
  void add_without(const std::vector<TermPattern>& here, std::size_t side,
                   const TermPattern& avoided, std::vector<Terms>& all) {
    const std::vector<Avoided> parts = parts_of(avoided);
    for (const Avoided& part : parts)
      if (auto term = term_holding(here, side, &part)) all.push_back({*std::move(term)});
    Terms terms;
    for (const TermPattern& required : here) {
      std::optional<NodeSelectorTerm> term;
      for (std::size_t i = 0; i < parts.size() && !term; ++i)
        term = term_holding({required}, side, &parts[i]);
      if (!term) return;
      terms.push_back(*std::move(term));
    }
    if (terms.size() > 1) all.push_back(std::move(terms));
  }

  const Sides& sides_;
  Mode mode_;
  Budget& budget_;
  std::array<Expressions, 2> parts_;                           ///< of each list
  std::array<std::array<std::vector<bool>, 2>, 2> permitted_;  ///< by each side, of each list
};

/// The same in one mode of pod affinity or anti-affinity.
inline std::vector<std::vector<PodAffinityTerm>> compared_terms(
    const Sides& sides, const AffinityKind<PodAffinity, PodAffinityRule>& kind,
    AnyOr<PodAffinityRule> AffinityModes<PodAffinityRule>::*mode, Budget& budget) {
  const auto keys_of = [&](const PolicyRules& rules) -> const Texts& {
    return ((rules.affinities.listed().*kind.rules).listed().*mode).listed().topology_keys;
  };
  Named named;
  for (const Side& side : sides)
    for (const PolicyRules* rules : {&side.spec().required, &side.spec().allowed})
      named.add(keys_of(*rules));
  std::vector<PodAffinityTerm> terms = {{.topology_key = named.other()}};
  for (const std::string_view key : named.all())
    terms.push_back({.topology_key = std::string(key)});
  if (!budget.spend(terms.size())) return {};
  const auto permits = [&](std::size_t side, const PodAffinityTerm& term) {
    const bool is_required =
        mode == &PodAffinityRules::required_during_scheduling_ignored_during_execution;
    return rule_of(sides[side], kind, is_required).permits(term.topology_key);
  };
  std::vector<std::vector<PodAffinityTerm>> all = {{}};
  for (std::size_t side = 0; side < 2; ++side) {
    const schedpol::detail::TextSet required_here(keys_of(sides[side].spec().required));
    const schedpol::detail::TextSet required_there(keys_of(sides[1 - side].spec().required));
    const bool asks = !keys_of(sides[side].spec().required).empty();
    std::optional<PodAffinityTerm> meeting;
    bool one_avoids = false;
    bool one_more = false;
    const auto add = [&](const PodAffinityTerm& term) {
      all.push_back({term});
      all.push_back({term, term});
    };
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool meets =
          permits(side, terms[i]) && (!asks || required_here.contains(terms[i].topology_key));
      const bool avoids = !required_there.contains(terms[i].topology_key);
      if (meets && (!meeting || (avoids && !one_avoids))) {
        add(terms[i]);
        meeting = terms[i];
        one_avoids = avoids;
      }
    }
    for (std::size_t i = 0; i < terms.size() && meeting && !one_more; ++i) {
      one_more = permits(side, terms[i]) && !permits(1 - side, terms[i]);
      if (!one_more) continue;
      all.push_back({*meeting, terms[i]});
      all.push_back({*meeting, terms[i], terms[i]});
    }
  }
  return all;
}

inline void add_terms(NodeAffinity& kind, std::vector<NodeSelectorTerm> terms, bool required) {
  if (!required) {
    for (NodeSelectorTerm& term : terms)
      kind.preferred_during_scheduling_ignored_during_execution.push_back({1, std::move(term)});
  } else if (!terms.empty()) {
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  }
}
inline void add_terms(PodAffinity& kind, std::vector<PodAffinityTerm> terms, bool required) {
  if (!required) {
    for (PodAffinityTerm& term : terms)
      kind.preferred_during_scheduling_ignored_during_execution.push_back({1, std::move(term)});
  } else {
    kind.required_during_scheduling_ignored_during_execution = std::move(terms);
  }
}

/// So many of the lists of a mode stand beside each of the other mode's.
inline constexpr std::size_t first_of_mode = 13;

/// What a default says, and where its required terms are given as one term, that.
inline std::vector<NodeAffinity> as_given(const Side& side, const NodeAffinity& given) {
  std::vector<NodeAffinity> all = {given};
  const auto joined = Insides::of(side.policy).affinity.joined_default_terms();
  if (joined.empty()) return all;
  all.push_back(given);
  all.back().required_during_scheduling_ignored_during_execution =
      NodeSelector{{joined.begin(), joined.end()}};
  return all;
}
inline std::vector<PodAffinity> as_given(const Side&, const PodAffinity& given) {
  return {given};
}

template <class Kind, class Rule>
void compare_affinity(const AffinityKind<Kind, Rule>& kind, const Sides& sides, Budget& budget,
                      Component& component) {
  std::vector<Kind> required;
  std::vector<Kind> preferred;
  const auto modes = [&](auto&& terms_of_mode) {
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      const bool is_required = name == required_mode;
      for (auto& terms : terms_of_mode(mode))
        add_terms((is_required ? required : preferred).emplace_back(), std::move(terms),
                  is_required);
    });
  };
  if constexpr (std::is_same_v<Kind, NodeAffinity>) {
    modes([&](auto mode) { return ComparedNodeMode(sides, mode, budget).run(); });
  } else {
    modes([&](auto mode) { return compared_terms(sides, kind, mode, budget); });
  }
  // The first few make up every sort of one mode that there has to be beside the other.
  std::vector<Kind> given;
  for (const Side& side : sides) {
    const std::optional<Affinity>& defaults = side.spec().defaults.affinity;
    if (!defaults || !((*defaults).*kind.member)) continue;
    for (const Kind& each : as_given(side, *((*defaults).*kind.member))) given.push_back(each);
  }
  const auto attempt = [&](const Kind& with_required, const Kind& with_preferred) {
    Kind both = with_required;
    both.preferred_during_scheduling_ignored_during_execution =
        with_preferred.preferred_during_scheduling_ignored_during_execution;
    PodSpec spec;
    if (has_terms(std::optional(both))) spec.affinity.emplace().*kind.member = both;
    component.attempt(spec);
  };
  const auto beside = [&](const std::vector<Kind>& mode) {
    std::vector<Kind> few(mode.begin(),
                          mode.begin() + static_cast<std::ptrdiff_t>(
                                             std::min<std::size_t>(mode.size(), first_of_mode)));
    few.insert(few.end(), given.begin(), given.end());
    return few;
  };
  const std::vector<Kind> few_required = beside(required);
  const std::vector<Kind> few_preferred = beside(preferred);
  preferred.insert(preferred.end(), given.begin(), given.end());
  for (const Kind& one : required)
    for (const Kind& other : few_preferred) attempt(one, other);
  for (const Kind& one : preferred)
    for (const Kind& other : few_required) attempt(other, one);
}

}  // namespace schedpol::scheduling_policy::detail
