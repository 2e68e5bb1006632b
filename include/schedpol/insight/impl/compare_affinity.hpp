// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinities of one kind on which two policies differ, if they do. The modes and their
/// defaults are independent but for a kind that is required in whichever mode. In a mode the lists
/// of terms are tried that hold as little as one side requires: with one part more that it alone
/// permits, and, for each part of what the other requires, without any that would meet it. To them
/// is added what is exempt.

#include <schedpol/core/affinity.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/insight/impl/compared_exempt_affinity.hpp>
#include <schedpol/insight/impl/compared_node_mode.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>

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
