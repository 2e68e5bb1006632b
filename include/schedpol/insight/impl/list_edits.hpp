// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits that make one list another: one adds, removes or replaces an item. And the terms
/// of a default in place of those that a pod has, but for what is exempt: that stays.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What stands in the list as it came, and what will stand in its place; absent: nothing. `at` is
/// the index of what is added in the new list, and of all else that in the old one.
template <class T>
struct ListChange {
  std::size_t at = 0;
  std::optional<T> from{};
  std::optional<T> to{};
};

/// In the order of the list. What both lists begin and end with costs nothing; the rest is compared
/// each with each. None once the budget is used up.
template <class T>
std::vector<ListChange<T>> edits_between(const std::vector<T>& from, const std::vector<T>& to,
                                         Budget& budget) {
  std::size_t begin = 0;
  while (begin < std::min(from.size(), to.size()) && from[begin] == to[begin]) ++begin;
  std::size_t end = 0;
  while (end < std::min(from.size(), to.size()) - begin &&
         from[from.size() - 1 - end] == to[to.size() - 1 - end])
    ++end;
  const std::size_t rows = from.size() - begin - end;
  const std::size_t columns = to.size() - begin - end;
  const std::size_t cells = (rows + 1) * (columns + 1);
  if (!budget.spend(2 * cells) || !budget.keep(sizeof(std::uint32_t) * cells)) return {};
  // The edits from there on.
  std::vector<std::uint32_t> left(cells);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return left[i * (columns + 1) + j];
  };
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows || j == columns) {
        at(i, j) = static_cast<std::uint32_t>(rows - i + columns - j);
      } else if (from[begin + i] == to[begin + j]) {
        at(i, j) = at(i + 1, j + 1);
      } else {
        at(i, j) = 1 + std::min({at(i + 1, j + 1), at(i + 1, j), at(i, j + 1)});
      }
    }
  }
  std::vector<ListChange<T>> edits;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    const std::size_t here = begin + i;
    if (i < rows && j < columns && from[here] == to[begin + j]) {
      ++i;
      ++j;
    } else if (i < rows && at(i, j) == 1 + at(i + 1, j)) {
      edits.push_back({here, from[here], std::nullopt});
      ++i;
    } else if (i < rows && j < columns && at(i, j) == 1 + at(i + 1, j + 1)) {
      edits.push_back({here, from[here], to[begin + j]});
      ++i;
      ++j;
    } else {
      edits.push_back({begin + j, std::nullopt, to[begin + j]});
      ++j;
    }
  }
  return edits;
}

/// Whether a term holds all of another.
inline bool holds_all(const NodeSelectorTerm& term, const NodeSelectorTerm& other) {
  const auto holds = [&](auto list) {
    return schedpol::detail::all_of(other.*list, [&](const auto& each) {
      return schedpol::detail::contains(term.*list, each);
    });
  };
  return holds(&NodeSelectorTerm::match_expressions) && holds(&NodeSelectorTerm::match_fields);
}

/// A term as far as it is exempt or given.
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

inline std::vector<NodeSelectorTerm> given_beside_exempt(std::span<const NodeSelectorTerm> terms,
                                                         std::span<const NodeSelectorTerm> given,
                                                         const ExemptTerms<NodeAffinity>& exempt,
                                                         Budget& budget) {
  std::vector<NodeSelectorTerm> list;
  // Each is held against each, part by part.
  if (!budget.spend(2 * parts_of(terms) * (1 + parts_of(given)))) return list;
  for (const NodeSelectorTerm& term : terms)
    if (auto kept = exempt_or_given(term, given, exempt)) list.push_back(*std::move(kept));
  for (const NodeSelectorTerm& each : given)
    if (schedpol::detail::none_of(
            list, [&](const NodeSelectorTerm& term) { return holds_all(term, each); }))
      list.push_back(each);
  return list;
}

/// The given terms in their order and, wherever they stand, those that are exempt: of all such
/// lists one that takes the fewest edits.
template <class Kind, class Term>
std::vector<Term> given_beside_exempt(std::span<const Term> terms, std::span<const Term> given,
                                      const ExemptTerms<Kind>& exempt, Budget& budget) {
  const std::size_t rows = terms.size();
  const std::size_t columns = given.size();
  const std::size_t cells = (rows + 1) * (columns + 1);
  if (!budget.spend(4 * cells) || !budget.keep(sizeof(std::size_t) * cells)) return {};
  std::vector<bool> stays(rows);
  for (std::size_t i = 0; i < rows; ++i) stays[i] = exempt.contain(terms[i]);
  // The edits of the terms from one on that leave the given ones from one on.
  std::vector<std::vector<std::size_t>> left(rows + 1, std::vector<std::size_t>(columns + 1));
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows) {
        left[i][j] = columns - j;
        continue;
      }
      left[i][j] = left[i + 1][j] + (stays[i] ? 0 : 1);
      if (j == columns) continue;
      const std::size_t replaced = left[i + 1][j + 1] + (terms[i] == given[j] ? 0 : 1);
      left[i][j] = std::min({left[i][j], replaced, left[i][j + 1] + 1});
    }
  }
  std::vector<Term> list;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && left[i][j] == left[i + 1][j] + (stays[i] ? 0 : 1)) {
      if (stays[i]) list.push_back(terms[i]);
      ++i;
    } else if (i < rows && left[i][j] == left[i + 1][j + 1] + (terms[i] == given[j] ? 0 : 1)) {
      list.push_back(given[j]);
      ++i;
      ++j;
    } else {
      list.push_back(given[j]);
      ++j;
    }
  }
  return list;
}

/// Both modes.
inline NodeAffinity given_beside_exempt(const NodeAffinity& old, const NodeAffinity& given,
                                        const ExemptTerms<NodeAffinity>& exempt, Budget& budget) {
  NodeAffinity kind;
  auto required =
      given_beside_exempt(terms_of(old).required, terms_of(given).required, exempt, budget);
  if (!required.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(required)};
  kind.preferred_during_scheduling_ignored_during_execution =
      given_beside_exempt(terms_of(old).preferred, terms_of(given).preferred, exempt, budget);
  return kind;
}
inline PodAffinity given_beside_exempt(const PodAffinity& old, const PodAffinity& given,
                                       const ExemptTerms<PodAffinity>& exempt, Budget& budget) {
  return {given_beside_exempt(terms_of(old).required, terms_of(given).required, exempt, budget),
          given_beside_exempt(terms_of(old).preferred, terms_of(given).preferred, exempt, budget)};
}

/// What is given, as it is and with each exempt term of a mode at each place of that mode: it may
/// meet what the given ones do not. At most as many as there is budget for.
inline std::vector<PodAffinity> given_with_one_exempt(const PodAffinity& given,
                                                      const ExemptTerms<PodAffinity>& exempt,
                                                      Budget& budget) {
  std::vector<PodAffinity> all = {given};
  const auto add = [&](auto mode, const auto& term) {
    const std::size_t size = (given.*mode).size();
    for (std::size_t at = 0; at <= size && budget.spend(20 * (1 + size)); ++at) {
      auto& terms = all.emplace_back(given).*mode;
      terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(at), term);
    }
  };
  exempt.for_each([&](const PodTerms& terms) {
    for (const PodAffinityTerm& term : terms.required)
      add(&PodAffinity::required_during_scheduling_ignored_during_execution, term);
    for (const WeightedPodAffinityTerm& term : terms.preferred)
      add(&PodAffinity::preferred_during_scheduling_ignored_during_execution, term);
  });
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
