// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinities of one kind on which two policies differ, if they do. The modes and their
/// defaults are independent but for a kind that is required in whichever mode. In a mode the lists
/// of terms are tried that hold as little as one side requires: with one part more that it alone
/// permits, and, for each part of what the other requires, without any that would meet it. To them
/// and to what is given one item is added that a side exempts, or all: but beside what is given no
/// list needs such an item to meet what is required, because that is permitted anyway.

#include <schedpol/insight/impl/node_affinity_probes.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The lists of terms to try in one mode of node affinity.
inline std::vector<std::vector<NodeSelectorTerm>> compared_terms(
    const Sides& sides, const AffinityKind<NodeAffinity, NodeAffinityRule>&, bool is_required,
    Budget& budget) {
  return NodeAffinityProbes(sides, is_required, budget).run();
}

/// The lists of terms to try in one mode of pod affinity or anti-affinity.
inline std::vector<std::vector<PodAffinityTerm>> compared_terms(
    const Sides& sides, const AffinityKind<PodAffinity, PodAffinityRule>& kind, bool is_required,
    Budget& budget) {
  const auto keys_of = [&](const PolicySection& section) -> const Texts& {
    return listed_in(section, kind, mode_name(is_required)).topology_keys;
  };
  ListedTexts named;
  ListedTexts namespaces;
  for (const Side& side : sides) {
    for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
      named.add(keys_of(*section));
    for_each_exempt_terms(*side.options, kind.member, [&](const PodTerms& exempt) {
      for (const PodAffinityTerm& term : exempt.required) {
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
    return rule_of(sides[side], kind, is_required).permits(term.topology_key);
  };
  std::vector<std::vector<PodAffinityTerm>> all = {{}};
  for (std::size_t side = 0; side < 2; ++side) {
    const schedpol::detail::TextSet required_here(keys_of(sides[side].spec().required));
    const schedpol::detail::TextSet required_there(keys_of(sides[1 - side].spec().required));
    const bool asks = !keys_of(sides[side].spec().required).empty();
    const auto meets = [&](const PodAffinityTerm& term) {
      return permits(side, term) && (!asks || required_here.contains(term.topology_key));
    };
    auto meeting = std::find_if(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
      return meets(term) && !required_there.contains(term.topology_key);
    });
    if (meeting == terms.end()) meeting = std::find_if(terms.begin(), terms.end(), meets);
    if (meeting == terms.end()) continue;
    all.push_back({*meeting});
    const auto more = std::find_if(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
      return permits(side, term) && !permits(1 - side, term);
    });
    if (more == terms.end()) continue;
    all.push_back({*meeting, *more});
    all.push_back({*meeting, *more, *more});  // which is not what is given
  }
  return all;
}

inline void set_required(NodeAffinity& kind, std::vector<NodeSelectorTerm> terms) {
  if (!terms.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
}
inline void set_required(PodAffinity& kind, std::vector<PodAffinityTerm> terms) {
  kind.required_during_scheduling_ignored_during_execution = std::move(terms);
}

/// What the default of a side that is reduced to one kind gives, and where its required terms are given
/// as one term, that.
template <class Kind>
std::vector<Kind> injected_by(const Side& side, std::optional<Kind> Affinity::*member) {
  const std::optional<Affinity>& defaults = side.spec().defaults.affinity;
  if (!defaults) return {};
  std::vector<Kind> all(1, *((*defaults).*member));
  if constexpr (std::is_same_v<Kind, NodeAffinity>) {
    const auto& affinity = EffectivePolicyAccess::of(side.policy).checks.of(affinity_field);
    const auto& joined = affinity.of(node_affinity_kind).joined_default_terms();
    if (joined.empty()) return all;
    all.push_back(all.front());
    set_required(all.back(), joined);
  }
  return all;
}

using schedpol::detail::append;

/// What is exempt by itself of a required term.
inline std::vector<NodeSelectorTerm> exempt_parts(const NodeSelectorTerm& term) {
  std::vector<NodeSelectorTerm> parts;
  if (is_empty(term)) parts.emplace_back();
  for (const NodeSelectorRequirement& each : term.match_expressions) parts.push_back({{each}, {}});
  for (const NodeSelectorRequirement& each : term.match_fields) parts.push_back({{}, {each}});
  return parts;
}
inline std::vector<PodAffinityTerm> exempt_parts(const PodAffinityTerm& term) {
  return {term};
}

/// Adds what is exempt to a list of terms: an expression to each required one.
inline void add_exempt(NodeAffinity& kind, const NodeAffinity& exempt) {
  append(kind.preferred_during_scheduling_ignored_during_execution,
         exempt.preferred_during_scheduling_ignored_during_execution);
  for (const NodeSelectorTerm& more : terms_of(exempt).required) {
    auto& selector = kind.required_during_scheduling_ignored_during_execution;
    if (!selector) selector.emplace();
    std::vector<NodeSelectorTerm>& terms = selector->node_selector_terms;
    if (terms.empty() || is_empty(more)) terms.emplace_back();
    for (NodeSelectorTerm& term : terms) {
      append(term.match_expressions, more.match_expressions);
      append(term.match_fields, more.match_fields);
    }
  }
}
inline void add_exempt(PodAffinity& kind, const PodAffinity& exempt) {
  append(kind.required_during_scheduling_ignored_during_execution,
         exempt.required_during_scheduling_ignored_during_execution);
  append(kind.preferred_during_scheduling_ignored_during_execution,
         exempt.preferred_during_scheduling_ignored_during_execution);
}

/// What a side exempts in one mode of a kind, item by item, and all of it: beside what is given all
/// of it may meet what is required.
template <class Kind>
std::vector<Kind> exempt_in(const Side& side, std::optional<Kind> Affinity::*member,
                            bool required) {
  std::vector<Kind> items;
  for_each_exempt_terms(*side.options, member, [&](const auto& exempt) {
    if (required) {
      for (const auto& term : exempt.required)
        for (const auto& part : exempt_parts(term)) set_required(items.emplace_back(), {part});
    } else {
      for (const auto& term : exempt.preferred)
        items.emplace_back().preferred_during_scheduling_ignored_during_execution = {term};
    }
  });
  Kind all;
  for (const Kind& item : items) add_exempt(all, item);
  if (items.size() > 1) items.push_back(std::move(all));
  return items;
}

/// A weight that no exempt term has.
template <class Kind>
std::int32_t unexempt_weight(const Sides& sides, std::optional<Kind> Affinity::*member) {
  std::set<std::int32_t> weights;
  for (const Side& side : sides)
    for_each_exempt_terms(*side.options, member, [&](const auto& exempt) {
      for (const auto& term : exempt.preferred) weights.insert(term.weight);
    });
  std::int32_t weight = 1;
  while (weights.contains(weight)) ++weight;
  return weight;
}

/// A pod with the required terms of one list and the preferred ones of another.
template <class Kind>
PodSpec spec_with(std::optional<Kind> Affinity::*member, const Kind& required,
                  const Kind& preferred) {
  std::optional<Kind> both = required;
  both->preferred_during_scheduling_ignored_during_execution =
      preferred.preferred_during_scheduling_ignored_during_execution;
  PodSpec spec;
  if (has_terms(both)) spec.affinity.emplace().*member = std::move(both);
  return spec;
}

template <class Kind, class Rule>
void compare_affinity(const AffinityKind<Kind, Rule>& kind, const Sides& sides, Budget& budget,
                      Component& component) {
  const std::int32_t weight = unexempt_weight(sides, kind.member);
  std::vector<Kind> required;
  std::vector<Kind> preferred;
  // What stands beside the lists of the other mode.
  std::vector<Kind> few_required;
  std::vector<Kind> few_preferred;
  for (const bool is_required : {true, false}) {
    std::vector<Kind>& all = is_required ? required : preferred;
    for (auto& terms : compared_terms(sides, kind, is_required, budget)) {
      Kind& list = all.emplace_back();
      if (is_required) {
        set_required(list, std::move(terms));
        continue;
      }
      for (auto& term : terms)
        list.preferred_during_scheduling_ignored_during_execution.push_back(
            {weight, std::move(term)});
    }
    const auto first = [&](std::size_t most) {
      return std::vector<Kind>(
          all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most)));
    };
    std::vector<Kind>& few = is_required ? few_required : few_preferred;
    few = first(compared_lists_beside);
    std::vector<Kind> bases = first(compared_lists_with_exempt);
    for (const Side& side : sides) {
      for (const Kind& injected : injected_by(side, kind.member)) {
        few.push_back(injected);
        bases.push_back(injected);
      }
    }
    for (const Side& side : sides) {
      for (const Kind& exempt : exempt_in(side, kind.member, is_required)) {
        const std::size_t parts = bases.size() * entries_of(exempt);
        if (!budget.spend(20 * parts) || !budget.keep(sizeof(Kind) * parts)) return;
        for (const Kind& base : bases) add_exempt(all.emplace_back(base), exempt);
      }
    }
  }
  const auto attempt = [&](const Kind& with_required, const Kind& with_preferred) {
    if (!budget.used_up()) component.attempt(spec_with(kind.member, with_required, with_preferred));
  };
  for (const Kind& one : required)
    for (const Kind& other : few_preferred) attempt(one, other);
  for (const Kind& one : preferred)
    for (const Kind& other : few_required) attempt(other, one);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
