// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinities of one kind on which two policies differ, if they do. The modes and their
/// defaults are independent but for a kind that is required in whichever mode. In a mode the lists
/// of terms are tried that hold as little as one side requires: with one part more that it alone
/// permits, and, for each part of what the other requires, without any that would meet it. To them
/// is added what is exempt.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/insight/impl/compared_node_mode.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/affinity_modes.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What is exempt of one kind of affinity on one of two sides that are compared, put into lists of
/// terms. More of it takes no permission away and meets no less, so all of it is enough; besides
/// each by itself, which may be permitted over there as what is given, and all but what meets
/// something that is required over there.
template <class Kind>
class ExemptInKind {
 public:
  ExemptInKind(const Sides& sides, std::optional<Kind> Affinity::*kind, Budget& budget)
      : budget_(budget) {
    for (std::size_t side = 0; side < sides.size(); ++side)
      for_each_exempt_terms(*sides[side].options, kind, [&](const auto& terms) {
        for (const auto& term : terms.required) add_required(singles_[side], term);
        for (const auto& term : terms.preferred) {
          preferred(singles_[side].emplace_back()).push_back(term);
          weights_.push_back(term.weight);
        }
      });
  }

  [[nodiscard]] bool any() const noexcept { return !singles_[0].empty() || !singles_[1].empty(); }

  /// One that no exempt term has.
  [[nodiscard]] std::int32_t other_weight() const noexcept {
    std::int32_t weight = 1;
    while (schedpol::detail::contains(weights_, weight)) ++weight;
    return weight;
  }

  /// Adds to the lists of a mode each of the bases with what is exempt; those with all of it to
  /// `few`, too. `rules` are what the two sides list as required.
  template <class Rule>
  void add_to(const std::vector<Kind>& bases, bool is_required,
              const std::array<const Rule*, 2>& rules, std::vector<Kind>& lists,
              std::vector<Kind>& few) const {
    for (std::size_t side = 0; side < singles_.size(); ++side) {
      std::vector<Kind> of_mode;
      for (const Kind& single : singles_[side])
        if (has_required(single) == is_required) of_mode.push_back(single);
      if (of_mode.empty()) continue;
      std::vector<std::vector<Kind>> sets = {of_mode};
      for (const Kind& single : of_mode) sets.push_back({single});
      avoid(*rules[1 - side], of_mode, sets);
      for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!budget_.spend(20 * bases.size() * (1 + sets[i].size())) ||
            !budget_.keep(sizeof(Kind) * bases.size() * (1 + sets[i].size())))
          return;
        for (const Kind& base : bases) {
          for (Kind& list : with(base, sets[i], is_required)) {
            if (i == 0) few.push_back(list);
            lists.push_back(std::move(list));
          }
        }
      }
    }
  }

 private:
  static auto& preferred(Kind& kind) {
    return kind.preferred_during_scheduling_ignored_during_execution;
  }
  static bool has_required(const Kind& kind) noexcept { return !terms_of(kind).required.empty(); }

  /// Expression by expression, or an empty term.
  static void add_required(std::vector<NodeAffinity>& singles, const NodeSelectorTerm& term) {
    const auto add = [&](NodeSelectorTerm part) {
      singles.emplace_back().required_during_scheduling_ignored_during_execution =
          NodeSelector{{std::move(part)}};
    };
    for (const NodeSelectorRequirement& each : term.match_expressions) add({{each}, {}});
    for (const NodeSelectorRequirement& each : term.match_fields) add({{}, {each}});
    if (is_empty(term)) add({});
  }
  static void add_required(std::vector<PodAffinity>& singles, const PodAffinityTerm& term) {
    singles.emplace_back().required_during_scheduling_ignored_during_execution = {term};
  }

  /// Adds those that meet nothing of what is required, for each of it.
  static void avoid(const NodeAffinityRule& rule, const std::vector<NodeAffinity>& all,
                    std::vector<std::vector<NodeAffinity>>& sets) {
    const auto add = [&](auto&& meets) {
      std::vector<NodeAffinity> rest = all;
      schedpol::detail::erase_if(rest, meets);
      if (!rest.empty() && rest.size() < all.size()) sets.push_back(std::move(rest));
    };
    for (const TermPattern& pattern : rule.node_selector_terms) {
      const RequiredTerm required(pattern);
      add([&](const NodeAffinity& single) {
        const NodeTerms terms = terms_of(single);
        return !terms.preferred.empty() && required.holds(terms.preferred[0].preference);
      });
      // An expression of a required term meets a part of it.
      const auto add_list = [&](const auto& patterns, auto list) {
        const auto has = [list](const NodeAffinity& single, auto&& holds) {
          const NodeTerms terms = terms_of(single);
          if (terms.required.empty()) return false;
          const auto& part = terms.required[0].*list;
          return schedpol::detail::any_of(part, holds);
        };
        if (patterns.is_any())
          add([&](const NodeAffinity& single) {
            return has(single, [](const auto&) { return true; });
          });
        for (const RequirementPattern& source : patterns.listed()) {
          const Pattern part(source);
          add([&](const NodeAffinity& single) {
            return has(single, [&](const auto& each) { return part.matches(each); });
          });
        }
      };
      add_list(pattern.match_expressions, &NodeSelectorTerm::match_expressions);
      add_list(pattern.match_fields, &NodeSelectorTerm::match_fields);
    }
  }
  static void avoid(const PodAffinityRule& rule, const std::vector<PodAffinity>& all,
                    std::vector<std::vector<PodAffinity>>& sets) {
    std::vector<PodAffinity> rest = all;
    schedpol::detail::erase_if(rest, [&](const PodAffinity& single) {
      const PodTerms terms = terms_of(single);
      return rule.topology_keys.contains(terms.required.empty()
                                             ? terms.preferred[0].pod_affinity_term.topology_key
                                             : terms.required[0].topology_key);
    });
    if (!rest.empty() && rest.size() < all.size()) sets.push_back(std::move(rest));
  }

  /// A list with some of it: in its terms, or as terms of its own.
  static std::vector<NodeAffinity> with(const NodeAffinity& base,
                                        const std::vector<NodeAffinity>& some, bool is_required) {
    NodeAffinity more = base;
    for (const NodeAffinity& single : some)
      preferred(more).insert(preferred(more).end(), terms_of(single).preferred.begin(),
                             terms_of(single).preferred.end());
    if (!is_required) return {more};
    NodeSelectorTerm joined;
    for (const NodeAffinity& single : some) join(joined, terms_of(single).required[0]);
    NodeSelector selector;
    for (const NodeSelectorTerm& term : terms_of(base).required)
      join(selector.node_selector_terms.emplace_back(term), joined);
    std::vector<NodeAffinity> lists;
    const auto add = [&] {
      lists.emplace_back().required_during_scheduling_ignored_during_execution = selector;
    };
    if (!selector.node_selector_terms.empty()) add();
    selector.node_selector_terms = terms_of(base).required;
    selector.node_selector_terms.push_back(joined);
    add();
    return lists;
  }
  static void join(NodeSelectorTerm& term, const NodeSelectorTerm& more) {
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      (term.*list).insert((term.*list).end(), (more.*list).begin(), (more.*list).end());
  }
  static std::vector<PodAffinity> with(const PodAffinity& base,
                                       const std::vector<PodAffinity>& some, bool) {
    PodAffinity more = base;
    for (const PodAffinity& single : some) {
      const auto append = [](auto& list, const auto& from) {
        list.insert(list.end(), from.begin(), from.end());
      };
      append(more.required_during_scheduling_ignored_during_execution, terms_of(single).required);
      append(preferred(more), terms_of(single).preferred);
    }
    return {more};
  }

  Budget& budget_;
  std::array<std::vector<Kind>, 2> singles_;  ///< of each side
  std::vector<std::int32_t> weights_;
};

/// The lists of terms to try in one mode of pod affinity or anti-affinity.
inline std::vector<std::vector<PodAffinityTerm>> compared_terms(
    const Sides& sides, const AffinityKind<PodAffinity, PodAffinityRule>& kind,
    AnyOr<PodAffinityRule> AffinityModes<PodAffinityRule>::*mode, Budget& budget) {
  const auto keys_of = [&](const PolicyRules& rules) -> const Texts& {
    return ((rules.affinities.listed().*kind.rules).listed().*mode).listed().topology_keys;
  };
  ListedTexts named;
  ListedTexts namespaces;
  for (const Side& side : sides) {
    for (const PolicyRules* rules : {&side.spec().required, &side.spec().allowed})
      named.add(keys_of(*rules));
    for_each_exempt_terms(*side.options, kind.member, [&](const PodTerms& exempt) {
      for (const PodAffinityTerm& term : exempt.required) {
        named.add(term.topology_key);
        namespaces.add("");
        namespaces.add(term.namespaces);
      }
    });
  }
  // None of them is exempt.
  PodAffinityTerm unexempt;
  if (!namespaces.all().empty()) unexempt.namespaces.push_back(namespaces.other());
  std::vector<PodAffinityTerm> terms;
  const auto add_key = [&](std::string key) {
    terms.push_back(unexempt);
    terms.back().topology_key = std::move(key);
  };
  add_key(named.other());
  for (const std::string_view key : named.all()) add_key(std::string(key));
  if (!budget.spend(20 * terms.size())) return {};
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

inline void add_terms(NodeAffinity& kind, std::vector<NodeSelectorTerm> terms, bool required,
                      std::int32_t weight) {
  if (!required) {
    for (NodeSelectorTerm& term : terms)
      kind.preferred_during_scheduling_ignored_during_execution.push_back(
          {weight, std::move(term)});
  } else if (!terms.empty()) {
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  }
}
inline void add_terms(PodAffinity& kind, std::vector<PodAffinityTerm> terms, bool required,
                      std::int32_t weight) {
  if (!required) {
    for (PodAffinityTerm& term : terms)
      kind.preferred_during_scheduling_ignored_during_execution.push_back(
          {weight, std::move(term)});
  } else {
    kind.required_during_scheduling_ignored_during_execution = std::move(terms);
  }
}

/// So many of the lists of a mode stand beside each of the other mode's.
inline constexpr std::size_t first_of_mode = 13;

/// What a default says, and where its required terms are given as one term, that.
inline std::vector<NodeAffinity> as_given(const Side& side, const NodeAffinity& given) {
  std::vector<NodeAffinity> all = {given};
  const auto joined = EffectivePolicyAccess::of(side.policy).affinity.joined_default_terms();
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
  std::vector<Kind> given;
  for (const Side& side : sides) {
    const std::optional<Affinity>& defaults = side.spec().defaults.affinity;
    if (!defaults || !((*defaults).*kind.member)) continue;
    for (const Kind& each : as_given(side, *((*defaults).*kind.member))) given.push_back(each);
  }
  const ExemptInKind<Kind> exempt(sides, kind.member, budget);
  std::vector<Kind> required;
  std::vector<Kind> preferred;
  // What stands beside the lists of the other mode: the first few, which make up every sort that
  // there has to be, and what is given or exempt.
  std::vector<Kind> few_required;
  std::vector<Kind> few_preferred;
  for_each_field<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
    const bool is_required = name == required_mode;
    std::vector<Kind>& all = is_required ? required : preferred;
    std::vector<Kind>& few = is_required ? few_required : few_preferred;
    const auto add = [&](std::vector<Kind>& kinds, auto terms) {
      add_terms(kinds.emplace_back(), std::move(terms), is_required, exempt.other_weight());
    };
    std::vector<Kind> bases;
    if constexpr (std::is_same_v<Kind, NodeAffinity>) {
      ComparedNodeMode rule(sides, mode, budget);
      for (auto& terms : rule.run()) add(all, std::move(terms));
      if (!is_required && exempt.any()) {
        for (const std::size_t side : {0U, 1U}) {
          add(bases, rule.terms_holding_each(side));
          for (const TermPattern& avoided : rule.required(1 - side))
            add(bases, rule.terms_holding_each(side, &avoided));
        }
      }
    } else {
      for (auto& terms : compared_terms(sides, kind, mode, budget)) add(all, std::move(terms));
      bases = all;
    }
    few.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(
                                              std::min<std::size_t>(all.size(), first_of_mode)));
    few.insert(few.end(), given.begin(), given.end());
    if (!is_required) all.insert(all.end(), given.begin(), given.end());
    if (!exempt.any()) return;
    bases.insert(bases.end(), given.begin(), given.end());
    bases.emplace_back();
    const auto rules = [&](std::size_t side) -> const Rule& {
      return ((sides[side].spec().required.affinities.listed().*kind.rules).listed().*mode)
          .listed();
    };
    exempt.add_to(bases, is_required, std::array{&rules(0), &rules(1)}, all, few);
  });
  const auto attempt = [&](const Kind& with_required, const Kind& with_preferred) {
    if (budget.used_up()) return;
    Kind both = with_required;
    both.preferred_during_scheduling_ignored_during_execution =
        with_preferred.preferred_during_scheduling_ignored_during_execution;
    PodSpec spec;
    if (has_terms(std::optional(both))) spec.affinity.emplace().*kind.member = both;
    component.attempt(spec);
  };
  for (const Kind& one : required)
    for (const Kind& other : few_preferred) attempt(one, other);
  for (const Kind& one : preferred)
    for (const Kind& other : few_required) attempt(other, one);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
