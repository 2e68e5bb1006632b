// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinities of one kind on which two policies differ, if they do. Finitely many are tried. Why they
/// suffice, where one side (here) is to allow a list of terms that the other (there) denies:
///
/// 1. Parts of terms. A part is an expression of node affinity or the topology key of another kind. A
///    pattern of expressions asks of the key and the operator whether its list has it, and of the values
///    whether it has them all. So keys that stand in the same lists are alike, one that nobody lists
///    stands for any, and all values of a pattern at once stand for some of them: no pattern matches
///    these that does not match each of those. Tried are, for each pattern, a key of each class with all
///    its values and with none, and every operator. As with tolerations, where a pattern matches what
///    certain others do not match, it also matches a part that is tried and that these do not match.
/// 2. Lists of one mode. A term holds what is required where each pattern of that matches one of its parts.
///    Either one term has to hold it, or every term. A part more in a term takes that from no term. Let
///    a list be allowed here, and not there.
///    a. A part is not permitted there. One that is tried is permitted here alone. It is put into the
///       least term that holds all that is required here.
///    b. What a pattern there asks for is in no part of some term, or of any. The least term is tried
///       that holds all that is required here by parts which that pattern does not match; and, where a
///       term is enough for each requirement, one such term for each (`add_without`).
///    c. A list may be what a default gives, which is permitted as it stands: the default itself is
///       tried, and the same term twice, which it is not.
/// 3. Both modes. They are independent but for a kind that is required in whichever mode, and for the
///    default of a mode, which is given where the pod has none of that. So it matters of the other
///    mode whether it has a term, which one side allows or not, and whether it is what a default gives.
///    Lists of each sort come first (`compared_lists_beside`).
/// 4. What is exempt is permitted wherever it stands, and may meet what is required. It is added to each
///    sort of list, item by item and all at once (`compared_lists_with_exempt`): more of it never harms,
///    and one item alone tells where the other side would meet by it what it requires. Beside what is
///    given no list needs it to meet what is required, because that is permitted anyway.
///
/// What 3 and 4 leave out, and pairs of the node selector that meet a requirement, `core/limits.hpp` says;
/// so whatever is found is confirmed by `admit`, and where the parts do not confirm each other there is no
/// answer rather than a wrong one.

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
