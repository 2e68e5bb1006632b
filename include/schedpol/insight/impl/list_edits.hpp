// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits that make one list another: one adds, removes or replaces an item. And the terms
/// of a default in place of those that a pod has, but for what is exempt: that stays.

#include <schedpol/insight/impl/compared.hpp>

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
    } else if (i < rows && at(i, j) == 1 + at(i + 1, j + 1)) {
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

/// A term without the parts that are neither exempt nor in one of two others.
inline NodeSelectorTerm exempt_or_in(const NodeSelectorTerm& other, NodeSelectorTerm term,
                                     const ExemptTerms<NodeAffinity>& exempt,
                                     const NodeSelectorTerm& second = {}) {
  for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
    schedpol::detail::erase_if(term.*list, [&](const NodeSelectorRequirement& each) {
      return !exempt.contain(each, list) && !schedpol::detail::contains(other.*list, each) &&
             !schedpol::detail::contains(second.*list, each);
    });
  return term;
}

/// All parts of some terms.
inline NodeSelectorTerm all_parts(const std::vector<NodeSelectorTerm>& terms) {
  NodeSelectorTerm all;
  for (const NodeSelectorTerm& term : terms)
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      schedpol::detail::append(all.*list, std::vector(term.*list));
  return all;
}

/// The given terms in any order, each as often as may be and with exempt parts and those of `beside`
/// in it, and terms that are exempt. A term stays where it is one of these and `is_held`; in the place of
/// each other one comes a given one that is missing, if any does, and what is exempt in it stays.
template <class IsHeld>
std::vector<NodeSelectorTerm> injected_beside_exempt(const std::vector<NodeSelectorTerm>& terms,
                                                     const std::vector<NodeSelectorTerm>& injected,
                                                     const ExemptTerms<NodeAffinity>& exempt,
                                                     Budget& budget, IsHeld&& is_held,
                                                     const NodeSelectorTerm& beside = {}) {
  // Each is held against each, part by part.
  if (!budget.spend(8 * (parts_of(terms) + parts_of(injected)) *
                    (1 + parts_of(injected) + parts_of(beside))))
    return {};
  const auto is_injected_as = [&](const NodeSelectorTerm& term, const NodeSelectorTerm& each) {
    return holds_all(term, each) && exempt_or_in(each, term, exempt, beside) == term;
  };
  std::vector<const NodeSelectorTerm*> missing;
  for (const NodeSelectorTerm& each : injected) missing.push_back(&each);
  std::vector<std::optional<NodeSelectorTerm>> places(terms.size());
  const auto put = [&](std::size_t i, NodeSelectorTerm term) {
    schedpol::detail::erase_if(missing,
                               [&](const auto* each) { return is_injected_as(term, *each); });
    places[i] = std::move(term);
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_any = schedpol::detail::any_of(
        injected, [&](const auto& each) { return is_injected_as(terms[i], each); });
    if ((is_any || exempt.contain(terms[i])) && is_held(terms[i])) put(i, terms[i]);
  }
  // What is missing may be a part of a term.
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto part = std::find_if(missing.begin(), missing.end(), [&](const auto* each) {
      return !places[i] && holds_all(terms[i], *each);
    });
    if (part != missing.end()) put(i, exempt_or_in(**part, terms[i], exempt));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (places[i]) continue;
    NodeSelectorTerm rest = exempt_or_in({}, terms[i], exempt);
    if (!missing.empty()) {
      for (const auto list :
           {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
        (rest.*list)
            .insert((rest.*list).begin(), (missing.front()->*list).begin(),
                    (missing.front()->*list).end());
      put(i, std::move(rest));
    } else if (!is_empty(rest) && is_held(rest)) {
      put(i, std::move(rest));
    }
  }
  std::erase(places, std::nullopt);
  while (!missing.empty()) {
    places.emplace_back();
    put(places.size() - 1, *missing.front());
  }
  std::vector<NodeSelectorTerm> list;
  for (auto& term : places) list.push_back(*std::move(term));
  return list;
}

/// What is given without what is exempt, which may be missing: where a pod has it, it is not given
/// again. Of required node terms all stay.
template <class Kind>
Kind without_exempt(Kind given, const ExemptTerms<Kind>& exempt) {
  const auto erase_from = [&](auto& terms) {
    schedpol::detail::erase_if(terms, [&](const auto& term) { return exempt.contain(term); });
  };
  erase_from(given.preferred_during_scheduling_ignored_during_execution);
  if constexpr (std::is_same_v<Kind, PodAffinity>)
    erase_from(given.required_during_scheduling_ignored_during_execution);
  return given;
}

/// The given terms in their order and, wherever they stand, those that are exempt: of all such
/// lists one that takes the fewest edits.
template <class Kind, class Term>
std::vector<Term> injected_beside_exempt(const std::vector<Term>& terms,
                                         const std::vector<Term>& injected,
                                         const ExemptTerms<Kind>& exempt, Budget& budget) {
  const std::size_t rows = terms.size();
  const std::size_t columns = injected.size();
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
      const std::size_t replaced = left[i + 1][j + 1] + (terms[i] == injected[j] ? 0 : 1);
      left[i][j] = std::min({left[i][j], replaced, left[i][j + 1] + 1});
    }
  }
  std::vector<Term> list;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    if (i < rows && left[i][j] == left[i + 1][j] + (stays[i] ? 0 : 1)) {
      if (stays[i]) list.push_back(terms[i]);
      ++i;
    } else if (i < rows && left[i][j] == left[i + 1][j + 1] + (terms[i] == injected[j] ? 0 : 1)) {
      list.push_back(injected[j]);
      ++i;
      ++j;
    } else {
      list.push_back(injected[j]);
      ++j;
    }
  }
  return list;
}

/// Both modes.
template <class IsHeld>
NodeAffinity injected_beside_exempt(const NodeAffinity& old, const NodeAffinity& injected,
                                    const ExemptTerms<NodeAffinity>& exempt, Budget& budget,
                                    IsHeld&& is_held, const NodeSelectorTerm& beside = {}) {
  NodeAffinity kind;
  auto required = injected_beside_exempt(terms_of(old).required, terms_of(injected).required,
                                         exempt, budget, is_held, beside);
  if (!required.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(required)};
  kind.preferred_during_scheduling_ignored_during_execution =
      injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt, budget);
  return kind;
}
inline PodAffinity injected_beside_exempt(const PodAffinity& old, const PodAffinity& injected,
                                          const ExemptTerms<PodAffinity>& exempt, Budget& budget) {
  return {
      injected_beside_exempt(terms_of(old).required, terms_of(injected).required, exempt, budget),
      injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt,
                             budget)};
}

/// What is given, as it is and with each exempt term of a mode at each place of that mode: it may
/// meet what the given ones do not. At most as many as there is budget for.
inline std::vector<PodAffinity> injected_with_one_exempt(const PodAffinity& injected,
                                                         const ExemptTerms<PodAffinity>& exempt,
                                                         Budget& budget) {
  std::vector<PodAffinity> all = {injected};
  const auto add = [&](auto mode, const auto& term) {
    const std::size_t size = (injected.*mode).size();
    for (std::size_t at = 0; at <= size && budget.spend(20 * (1 + size)); ++at) {
      auto& terms = all.emplace_back(injected).*mode;
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
