// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What makes one list of another: a step for each item of either, so that the items that are
/// changed, removed and added cost the least.

#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

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

/// The requirements of a term in an order, made for being compared with those of other terms.
template <class Requirement>
class Criteria {
 public:
  explicit Criteria(const std::vector<Requirement>& list) : list_(&list) {}

  /// The cheapest change of a requirement of the one into one of the other.
  [[nodiscard]] static int cost(const Criteria& some, const Criteria& others) {
    int least = EditCost::stranger;
    auto a = some.ordered().begin();
    auto b = others.ordered().begin();
    while (a != some.ordered().end() && b != others.ordered().end()) {
      const int order = compare(**a, **b);
      if (order == 0) return EditCost::common;
      if ((*a)->key == (*b)->key && !(*a)->key.empty()) least = EditCost::related;
      ++(order < 0 ? a : b);
    }
    return least;
  }

 private:
  using Ordered = std::vector<const Requirement*>;

  [[nodiscard]] const Ordered& ordered() const {
    if (!ordered_.empty()) return ordered_;
    ordered_.reserve(list_->size());
    for (const Requirement& one : *list_) ordered_.push_back(&one);
    std::sort(ordered_.begin(), ordered_.end(),
              [](const auto* a, const auto* b) { return compare(*a, *b) < 0; });
    return ordered_;
  }

  [[nodiscard]] static int compare(const Requirement& a, const Requirement& b) {
    if (const int keys = a.key.compare(b.key); keys != 0) return keys;
    if (const int words = a.operator_.text().compare(b.operator_.text()); words != 0) return words;
    const std::size_t shorter = std::min(a.values.size(), b.values.size());
    for (std::size_t i = 0; i < shorter; ++i) {
      if (const int values = a.values[i].compare(b.values[i]); values != 0) return values;
    }
    return a.values.size() == b.values.size() ? 0 : a.values.size() < b.values.size() ? -1 : 1;
  }

  const std::vector<Requirement>* list_;
  mutable Ordered ordered_;  ///< once somebody asks for it
};

/// An item of a list, made for being compared with many.
template <class T>
struct Compared {
  explicit Compared(const T& one) : item(one) {}

  const T& item;
};

template <class T>
  requires requires(const T& term) { term.match_fields; }
struct Compared<T> {
  explicit Compared(const T& term)
      : item(term), expressions(term.match_expressions), fields(term.match_fields) {}

  const T& item;
  Criteria<typename decltype(T::match_expressions)::value_type> expressions;
  Criteria<typename decltype(T::match_fields)::value_type> fields;
};

template <class T>
  requires requires(const T& preferred) { preferred.preference; }
struct Compared<T> {
  explicit Compared(const T& preferred) : item(preferred), preference(preferred.preference) {}

  const T& item;
  Compared<decltype(T::preference)> preference;
};

template <class T>
[[nodiscard]] int change_cost(const Compared<T>& a, const Compared<T>& b) {
  if (a.item == b.item) return EditCost::equal;
  if constexpr (requires { a.item.key; }) {
    return a.item.key == b.item.key && !a.item.key.empty() ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.item.topology_key; }) {
    return a.item.topology_key == b.item.topology_key ? EditCost::related : EditCost::stranger;
  } else if constexpr (requires { a.preference; }) {
    return std::max(EditCost::common, change_cost(a.preference, b.preference));
  } else if constexpr (requires { a.item.pod_affinity_term; }) {
    return std::max(EditCost::common, change_cost(Compared(a.item.pod_affinity_term),
                                                  Compared(b.item.pod_affinity_term)));
  } else if constexpr (requires { a.expressions; }) {
    using Expressions = decltype(a.expressions);
    return std::min(Expressions::cost(a.expressions, b.expressions),
                    Expressions::cost(a.fields, b.fields));
  } else {
    return EditCost::related;
  }
}

enum class ListEdit : unsigned char { change, remove, add };

/// The way from one list to another.
template <class T>
class ListEdits {
 public:
  ListEdits(std::span<const T> from, std::span<const T> to) : from_(from), to_(to) {
    if (from.empty() || to.empty() || to.size() > max_list_edit_cells / from.size()) return;
    std::vector<Compared<T>> wanted;
    wanted.reserve(to.size());
    for (const T& item : to) wanted.emplace_back(item);
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    cells_.resize((from.size() + 1) * (to.size() + 1));
    for (std::size_t j = 0; j <= to.size(); ++j)
      cell(from.size(), j).distance = EditCost::remove_or_add * static_cast<int>(to.size() - j);
    for (std::size_t i = from.size(); i-- > 0;) {
      const Compared<T> before(from[i]);
      cell(i, to.size()).distance = EditCost::remove_or_add * static_cast<int>(from.size() - i);
      for (std::size_t j = to.size(); j-- > 0;) {
        Cell& here = cell(i, j);
        here.change = change_cost(before, wanted[j]);
        here.distance = std::min({cell(i + 1, j + 1).distance + here.change,
                                  cell(i + 1, j).distance + EditCost::remove_or_add,
                                  cell(i, j + 1).distance + EditCost::remove_or_add});
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] ListEdit at(std::size_t i, std::size_t j) const {
    if (i == from_.size()) return ListEdit::add;
    if (j == to_.size()) return ListEdit::remove;
    if (cells_.empty()) return ListEdit::change;
    const Cell& here = cell(i, j);
    if (here.distance == cell(i + 1, j + 1).distance + here.change) return ListEdit::change;
    return here.distance == cell(i + 1, j).distance + EditCost::remove_or_add ? ListEdit::remove
                                                                              : ListEdit::add;
  }

  /// What it costs to make the `j`th item of the one list of the `i`th of the other.
  [[nodiscard]] int cost(std::size_t i, std::size_t j) const {
    return cells_.empty() ? change_cost(Compared<T>(from_[i]), Compared<T>(to_[j]))
                          : cell(i, j).change;
  }

 private:
  struct Cell {
    int distance;
    int change;  ///< what it costs to change the one item into the other
  };

  [[nodiscard]] Cell& cell(std::size_t i, std::size_t j) noexcept {
    return cells_[i * (to_.size() + 1) + j];
  }
  [[nodiscard]] const Cell& cell(std::size_t i, std::size_t j) const noexcept {
    return cells_[i * (to_.size() + 1) + j];
  }

  std::span<const T> from_;
  std::span<const T> to_;
  std::vector<Cell> cells_;  ///< none where no way is looked for
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
