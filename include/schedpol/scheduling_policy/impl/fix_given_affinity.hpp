// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The terms of a default in place of those that a pod has, but for what is exempt: that stays.

#include <schedpol/core/affinity.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// A term as far as it is exempt or given.
template <class Kind, class Term>
std::optional<Term> exempt_or_given(const Term& term, std::span<const Term> given,
                                    const ExemptTerms<Kind>& exempt) {
  const bool is_kept =
      exempt.contain(term) || std::find(given.begin(), given.end(), term) != given.end();
  return is_kept ? std::optional(term) : std::nullopt;
}

/// Whether a term holds all of another.
template <class Term>
bool holds_all(const Term& term, const Term& other) {
  return term == other;
}
inline bool holds_all(const NodeSelectorTerm& term, const NodeSelectorTerm& other) {
  const auto holds = [&](auto list) {
    return std::all_of((other.*list).begin(), (other.*list).end(), [&](const auto& each) {
      return std::find((term.*list).begin(), (term.*list).end(), each) != (term.*list).end();
    });
  };
  return holds(&NodeSelectorTerm::match_expressions) && holds(&NodeSelectorTerm::match_fields);
}

inline std::optional<NodeSelectorTerm> exempt_or_given(const NodeSelectorTerm& term,
                                                       std::span<const NodeSelectorTerm> given,
                                                       const ExemptTerms<NodeAffinity>& exempt) {
  const auto whole = std::find_if(given.begin(), given.end(),
                                  [&](const auto& each) { return holds_all(term, each); });
  NodeSelectorTerm kept = term;
  for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
    std::erase_if(kept.*list, [&](const NodeSelectorRequirement& each) {
      if (exempt.contain(each, list)) return false;
      return whole == given.end() || std::find(((*whole).*list).begin(), ((*whole).*list).end(),
                                               each) == ((*whole).*list).end();
    });
  return is_empty(kept) && !exempt.contain(term) ? std::nullopt : std::optional(std::move(kept));
}

template <class Kind, class Term>
std::vector<Term> given_beside_exempt(std::span<const Term> terms, std::span<const Term> given,
                                      const ExemptTerms<Kind>& exempt) {
  std::vector<Term> list;
  for (const Term& term : terms)
    if (auto kept = exempt_or_given(term, given, exempt)) list.push_back(*std::move(kept));
  for (const Term& each : given)
    if (std::none_of(list.begin(), list.end(),
                     [&](const Term& term) { return holds_all(term, each); }))
      list.push_back(each);
  return list;
}

/// Both modes.
inline NodeAffinity given_beside_exempt(const NodeAffinity& old, const NodeAffinity& given,
                                        const ExemptTerms<NodeAffinity>& exempt) {
  NodeAffinity kind;
  auto required = given_beside_exempt(terms_of(old).required, terms_of(given).required, exempt);
  if (!required.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(required)};
  kind.preferred_during_scheduling_ignored_during_execution =
      given_beside_exempt(terms_of(old).preferred, terms_of(given).preferred, exempt);
  return kind;
}
inline PodAffinity given_beside_exempt(const PodAffinity& old, const PodAffinity& given,
                                       const ExemptTerms<PodAffinity>& exempt) {
  return {given_beside_exempt(terms_of(old).required, terms_of(given).required, exempt),
          given_beside_exempt(terms_of(old).preferred, terms_of(given).preferred, exempt)};
}

}  // namespace schedpol::scheduling_policy::detail
