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

/// A term without the parts that are neither exempt nor in another one.
inline NodeSelectorTerm exempt_or_in(const NodeSelectorTerm& other, NodeSelectorTerm term,
                                     const ExemptTerms<NodeAffinity>& exempt) {
  for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
    schedpol::detail::erase_if(term.*list, [&](const NodeSelectorRequirement& each) {
      return !exempt.contain(each, list) && !schedpol::detail::contains(other.*list, each);
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

/// The given terms in any order, each as often as may be and with exempt parts in it, and terms that
/// are exempt. A term stays where it is one of these and `is_held`; in the place of
/// each other one comes a given one that is missing, if any does, and what is exempt in it stays.
template <class IsHeld>
std::vector<NodeSelectorTerm> node_terms_beside_exempt(
    const std::vector<NodeSelectorTerm>& terms, const std::vector<NodeSelectorTerm>& injected,
    const ExemptTerms<NodeAffinity>& exempt, Budget& budget, IsHeld&& is_held) {
  // Each is held against each, part by part.
  if (!budget.spend(8 * (parts_of(terms) + parts_of(injected)) * (1 + parts_of(injected))))
    return {};
  const auto is_injected_as = [&](const NodeSelectorTerm& term, const NodeSelectorTerm& each) {
    return holds_all(term, each) && exempt_or_in(each, term, exempt) == term;
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

/// What any term meets.
struct NothingRequired {
  template <class Part>
  bool operator()(const Part&) const noexcept {
    return true;
  }
};

/// The given terms in their order and, wherever they stand, those that are exempt; a given one that
/// is exempt may be missing. Of all such lists in which a term `meets` what is required, if anything is,
/// one that takes the fewest edits; none where no list does.
template <class Kind, class Term, class Meets = NothingRequired>
std::vector<Term> injected_beside_exempt(const std::vector<Term>& terms,
                                         const std::vector<Term>& injected,
                                         const ExemptTerms<Kind>& exempt, Budget& budget,
                                         const Meets& meets = {}) {
  struct State {
    std::size_t term = 0;   ///< the next of those that are there
    std::size_t given = 0;  ///< the next of those given
    bool is_met = false;
  };
  const std::size_t cells = 2 * (terms.size() + 1) * (injected.size() + 1);
  std::size_t exempt_terms = 0;
  exempt.for_each(
      [&](const auto& some) { exempt_terms += 1 + some.required.size() + some.preferred.size(); });
  if (!budget.spend(8 * cells + (terms.size() + injected.size()) * exempt_terms) ||
      !budget.keep(sizeof(std::size_t) * cells))
    return {};
  struct Listed {
    const Term* term;
    bool is_exempt;
    bool meets;
  };
  const auto listed = [&](const std::vector<Term>& list) {
    std::vector<Listed> all;
    for (const Term& each : list) all.push_back({&each, exempt.contain(each), meets(each)});
    return all;
  };
  const std::vector<Listed> there = listed(terms);
  const std::vector<Listed> given = listed(injected);
  const Term* exempt_that_meets = nullptr;
  exempt.for_each([&](const auto& some) {
    const auto& of_mode = [&]() -> const std::vector<Term>& {
      if constexpr (std::is_same_v<Term, PodAffinityTerm>) {
        return some.required;
      } else {
        return some.preferred;
      }
    }();
    for (const Term& each : of_mode)
      if (exempt_that_meets == nullptr && meets(each)) exempt_that_meets = &each;
  });
  // Each way on: what it costs, the term that it puts into the list, and where it leads.
  const auto for_each_move = [&](const State& at, auto&& move) {
    const bool has_term = at.term < there.size();
    const bool has_given = at.given < given.size();
    const auto met_by = [&](const Listed& each) { return at.is_met || each.meets; };
    if (has_term) {
      const Listed& term = there[at.term];
      if (term.is_exempt) move(0, term.term, State{at.term + 1, at.given, met_by(term)});
      move(1, nullptr, State{at.term + 1, at.given, at.is_met});
    }
    for (const bool in_place : {true, false}) {
      if (in_place && !has_term) continue;
      const std::size_t next = at.term + (in_place ? 1 : 0);
      if (has_given) {
        const Listed& term = given[at.given];
        const bool stays = in_place && *there[at.term].term == *term.term;
        move(stays ? 0 : 1, term.term, State{next, at.given + 1, met_by(term)});
      }
      if (!at.is_met && exempt_that_meets != nullptr)
        move(1, exempt_that_meets, State{next, at.given, true});
    }
    if (has_given && given[at.given].is_exempt)
      move(0, nullptr, State{at.term, at.given + 1, at.is_met});
  };
  // The edits from a state on; more than any list takes where none meets what is required.
  std::vector<std::size_t> left(cells, cells);
  const auto left_at = [&](const State& at) -> std::size_t& {
    return left[2 * (at.term * (given.size() + 1) + at.given) + (at.is_met ? 1 : 0)];
  };
  const State end{there.size(), given.size(), true};
  left_at(end) = 0;
  for (std::size_t i = there.size() + 1; i-- > 0;)
    for (std::size_t j = given.size() + 1; j-- > 0;)
      for (const bool is_met : {true, false}) {
        const State at{i, j, is_met};
        for_each_move(at, [&](std::size_t edits, const Term*, const State& next) {
          left_at(at) = std::min(left_at(at), edits + left_at(next));
        });
      }
  State at{.is_met = std::is_same_v<Meets, NothingRequired>};
  std::vector<Term> list;
  if (left_at(at) >= cells) return list;
  while (at.term != end.term || at.given != end.given || !at.is_met) {
    const State from = at;
    bool moved = false;
    for_each_move(from, [&](std::size_t edits, const Term* term, const State& next) {
      if (moved || left_at(from) != edits + left_at(next)) return;
      if (term != nullptr) list.push_back(*term);
      at = next;
      moved = true;
    });
  }
  return list;
}

/// Both modes.
template <class IsHeld>
NodeAffinity injected_beside_exempt(const NodeAffinity& old, const NodeAffinity& injected,
                                    const ExemptTerms<NodeAffinity>& exempt, Budget& budget,
                                    IsHeld&& is_held) {
  NodeAffinity kind;
  auto required = node_terms_beside_exempt(terms_of(old).required, terms_of(injected).required,
                                           exempt, budget, is_held);
  if (!required.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(required)};
  kind.preferred_during_scheduling_ignored_during_execution =
      injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt, budget);
  return kind;
}
/// `meets(term)` is asked of terms of either mode.
template <class Meets = NothingRequired>
PodAffinity injected_beside_exempt(const PodAffinity& old, const PodAffinity& injected,
                                   const ExemptTerms<PodAffinity>& exempt, Budget& budget,
                                   const Meets& meets = {}) {
  return {injected_beside_exempt(terms_of(old).required, terms_of(injected).required, exempt,
                                 budget, meets),
          injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt,
                                 budget, meets)};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
