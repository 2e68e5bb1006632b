// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cheapest edits that turn one list into another: one step for each item of either list, which
/// keeps, changes, removes or adds it.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/limits.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// What it costs to make one item of a list of another: less than to remove the one and add the
/// other. Items with the same key, or terms that have a criterion in common, are one and the same
/// item that was changed; strangers are replaced.
struct EditCost {
  static constexpr int equal = 0;
  static constexpr int common = 4;
  static constexpr int remove_or_add = 5;
  static constexpr int related = 6;
  static constexpr int stranger = 9;
};

/// The cheapest change of a requirement of the one list into one of the other, among the first
/// `max_compared_requirements` of each.
[[nodiscard]] inline int change_cost(const std::vector<NodeSelectorRequirement>& some,
                                     const std::vector<NodeSelectorRequirement>& others) {
  const auto compared = [](const auto& list) {
    return std::span(list).first(std::min(list.size(), max_compared_requirements));
  };
  int least = EditCost::stranger;
  for (const NodeSelectorRequirement& a : compared(some)) {
    for (const NodeSelectorRequirement& b : compared(others)) {
      if (a == b) return EditCost::common;
      if (a.key == b.key && !a.key.empty()) least = EditCost::related;
    }
  }
  return least;
}

/// Of two items of lists.
template <class T>
[[nodiscard]] int change_cost(const T& a, const T& b) {
  if (a == b) return EditCost::equal;
  if constexpr (requires { a.key; }) {
    return a.key == b.key && !a.key.empty() ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.match_fields; }) {
    return std::min(change_cost(a.match_expressions, b.match_expressions),
                    change_cost(a.match_fields, b.match_fields));
  } else if constexpr (requires { a.preference; }) {
    return std::max(EditCost::common, change_cost(a.preference, b.preference));
  } else if constexpr (requires { a.topology_key; }) {
    return a.topology_key == b.topology_key ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.pod_affinity_term; }) {
    return std::max(EditCost::common, change_cost(a.pod_affinity_term, b.pod_affinity_term));
  } else {
    return EditCost::related;
  }
}

enum class ListEdit : unsigned char { change, remove, add };

/// The way from one list to another, whatever they list.
class ListEdits {
 public:
  /// Of lists of that many items: `cost(i, j)` is what it costs to turn the `i`th of the one into the
  /// `j`th of the other.
  template <class Cost>
  ListEdits(std::size_t from, std::size_t to, const Cost& cost) : from_(from), to_(to) {
    if (from == 0 || to == 0 || to > max_list_edit_cells / from) return;
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    cells_.resize((from + 1) * (to + 1));
    for (std::size_t j = to; j-- > 0;)
      cell(from, j) = {cell(from, j + 1).distance + EditCost::remove_or_add, ListEdit::add};
    for (std::size_t i = from; i-- > 0;) {
      cell(i, to) = {cell(i + 1, to).distance + EditCost::remove_or_add, ListEdit::remove};
      for (std::size_t j = to; j-- > 0;) {
        cell(i, j) =
            std::min({Cell{cell(i + 1, j + 1).distance + cost(i, j), ListEdit::change},
                      Cell{cell(i + 1, j).distance + EditCost::remove_or_add, ListEdit::remove},
                      Cell{cell(i, j + 1).distance + EditCost::remove_or_add, ListEdit::add}},
                     [](const Cell& a, const Cell& b) { return a.distance < b.distance; });
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] ListEdit at(std::size_t i, std::size_t j) const {
    if (i == from_) return ListEdit::add;
    if (j == to_) return ListEdit::remove;
    return cells_.empty() ? ListEdit::change : cell(i, j).edit;
  }

 private:
  /// What it costs to make the rest of the one list of the rest of the other, and its first step.
  struct Cell {
    int distance;
    ListEdit edit;  ///< of those that cost the same the first
  };

  [[nodiscard]] Cell& cell(std::size_t i, std::size_t j) noexcept {
    return cells_[i * (to_ + 1) + j];
  }
  [[nodiscard]] const Cell& cell(std::size_t i, std::size_t j) const noexcept {
    return cells_[i * (to_ + 1) + j];
  }

  std::size_t from_;
  std::size_t to_;
  std::vector<Cell> cells_;  ///< none where no way is looked for
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
