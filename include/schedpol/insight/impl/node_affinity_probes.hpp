// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What two policies tell apart in one mode of node affinity.

#include <schedpol/insight/impl/compared.hpp>

#include <deque>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

constexpr std::string_view mode_name(bool required) noexcept {
  return required ? required_mode : preferred_mode;
}

/// What a side says of one mode, whatever its default gives.
template <class Kind, class Rule>
const auto& rule_of(const Side& side, const AffinityKind<Kind, Rule>& kind, bool required) {
  const auto& check = EffectivePolicyAccess::of(side.policy).checks.of(affinity_field).of(kind);
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
class NodeAffinityProbes {
 public:
  using Terms = std::vector<NodeSelectorTerm>;
  using List = std::vector<NodeSelectorRequirement> NodeSelectorTerm::*;

  NodeAffinityProbes(const Sides& sides, bool is_required, Budget& budget)
      : sides_(sides), is_required_(is_required), budget_(budget) {
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
    return terms_in(sides_[side].spec().required);
  }

  /// Terms without the expressions that a side does not permit.
  [[nodiscard]] Terms permitted(const Terms& terms, std::size_t side) const {
    Terms kept = terms;
    for (const List list : lists)
      for (NodeSelectorTerm& term : kept)
        schedpol::detail::erase_if(term.*list,
                                   [&](const auto& part) { return !permits(part, list, side); });
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
      if (!budget_.spend(10 * entries_of(required))) return std::nullopt;
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
        if (schedpol::detail::any_of(term.*part.list, holds)) continue;
        for (std::size_t i = 0; i < expressions.size() && found == nullptr; ++i) {
          if (!budget_.spend(1 + expressions.at(i).values.size())) return std::nullopt;
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

  [[nodiscard]] const std::vector<TermPattern>& terms_in(const PolicySection& section) const {
    return listed_in(section, node_affinity_kind, mode_name(is_required_)).node_selector_terms;
  }

  /// Of the expressions that the patterns of both sides tell apart, one each. What has all values
  /// that a pattern lists is permitted by no more patterns than what has some.
  void collect(List list) {
    const RequirementPattern anything{any, any, any};
    std::vector<const RequirementPattern*> patterns = {&anything};
    EquivalenceClasses keys;
    ListedTexts values;
    const std::vector<NodeSelectorRequirement> exempt = exempt_expressions(list);
    std::deque<Texts> exempt_keys;
    for (const NodeSelectorRequirement& expression : exempt)
      keys.add(exempt_keys.emplace_back(Texts{expression.key}));
    for (const Side& side : sides_) {
      if (&side != &sides_[0] && &side.spec() == &sides_[0].spec()) continue;
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
        for (const TermPattern& term : terms_in(*section))
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
      Texts with_values = pattern->values.listed();
      if (pattern->values.is_any()) with_values = {other_value};
      for (const std::string_view key : keys.of(pattern->keys, other_key)) {
        if (!budget_.spend(Expressions::operators.size() * (8 + with_values.size())) ||
            !budget_.keep(3 * (sizeof(NodeSelectorRequirement) + key.size()) +
                          2 * sizeof(std::string) * with_values.size()))
          return;
        if (!with_values.empty()) all.add({std::string(key), {}, with_values});
        all.add({std::string(key), {}, {}});
        if (with_values.empty() || exempt.empty()) continue;
        // The same values in a list that is exempt nowhere.
        Texts repeated = with_values;
        while (schedpol::detail::any_of(exempt,
                                        [&](const auto& each) { return each.values == repeated; }))
          repeated.push_back(repeated.front());
        all.add({std::string(key), {}, std::move(repeated)});
      }
    }
    for (auto& of_side : permitted_) of_side[which(list)].resize(all.size());
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<bool>& permitted = permitted_[side][which(list)];
      // Each value is held against each pattern of its key.
      const std::size_t of_key =
          1 + rule_of(sides_[side], node_affinity_kind, is_required_).most_of_key() / 4;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const NodeSelectorRequirement& expression = all.at(i);
        if (!budget_.spend(of_key * (1 + expression.values.size()))) return;
        permitted[i] = permits(expression, list, side);
      }
    }
  }

  /// Of the required mode, where they are exempt by themselves.
  [[nodiscard]] std::vector<NodeSelectorRequirement> exempt_expressions(List list) const {
    std::vector<NodeSelectorRequirement> all;
    if (!is_required_) return all;
    for (const Side& side : sides_)
      for_each_exempt_terms(*side.options, &Affinity::node_affinity, [&](const NodeTerms& terms) {
        for (const NodeSelectorTerm& term : terms.required)
          schedpol::detail::append(all, term.*list);
      });
    return all;
  }

  [[nodiscard]] bool permits(const NodeSelectorRequirement& expression, List list,
                             std::size_t side) const {
    const Side& of = sides_[side];
    return rule_of(of, node_affinity_kind, is_required_).permits(expression, list) ||
           (is_required_ && of.exempt().of(&Affinity::node_affinity).contain(expression, list));
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
  bool is_required_;
  Budget& budget_;
  std::array<Expressions, 2> parts_;                           ///< of each list
  std::array<std::array<std::vector<bool>, 2>, 2> permitted_;  ///< by each side, of each list
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
