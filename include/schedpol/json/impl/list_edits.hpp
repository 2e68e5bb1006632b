// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What makes one list of another: a step for each item of either, so that the items that are
/// changed, removed and added cost the least.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace schedpol::json::detail {

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

/// The requirements of a term in an order of their own, so that those of two terms are compared
/// without looking at each pair of them.
template <class Requirement>
class Criteria {
 public:
  explicit Criteria(const std::vector<Requirement>& list) {
    ordered_.reserve(list.size());
    for (const Requirement& one : list) ordered_.push_back(&one);
    std::sort(ordered_.begin(), ordered_.end(),
              [](const auto* a, const auto* b) { return compare(*a, *b) < 0; });
  }

  /// The cheapest change of a requirement of the one into one of the other.
  [[nodiscard]] static int cost(const Criteria& some, const Criteria& others) {
    int least = EditCost::stranger;
    auto a = some.ordered_.begin();
    auto b = others.ordered_.begin();
    while (a != some.ordered_.end() && b != others.ordered_.end()) {
      const int order = compare(**a, **b);
      if (order == 0) return EditCost::common;
      if ((*a)->key == (*b)->key && !(*a)->key.empty()) least = EditCost::related;
      ++(order < 0 ? a : b);
    }
    return least;
  }

 private:
  [[nodiscard]] static int compare(const Requirement& a, const Requirement& b) {
    if (const int keys = a.key.compare(b.key); keys != 0) return keys;
    if (const int words = a.operator_.text().compare(b.operator_.text()); words != 0) return words;
    const std::size_t shorter = std::min(a.values.size(), b.values.size());
    for (std::size_t i = 0; i < shorter; ++i) {
      if (const int values = a.values[i].compare(b.values[i]); values != 0) return values;
    }
    return a.values.size() == b.values.size() ? 0 : a.values.size() < b.values.size() ? -1 : 1;
  }

  std::vector<const Requirement*> ordered_;
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
    if (from.empty() || to.empty() || to.size() > max_compared / from.size()) return;
    find_costs();
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    distances_.resize((from.size() + 1) * (to.size() + 1));
    for (std::size_t i = from.size() + 1; i-- > 0;) {
      for (std::size_t j = to.size() + 1; j-- > 0;) {
        if (i == from.size() || j == to.size()) {
          distances_[place(i, j)] =
              EditCost::remove_or_add * static_cast<int>(from.size() - i + to.size() - j);
        } else {
          distances_[place(i, j)] = std::min({distance(i + 1, j + 1) + cost(i, j),
                                              distance(i + 1, j) + EditCost::remove_or_add,
                                              distance(i, j + 1) + EditCost::remove_or_add});
        }
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] ListEdit at(std::size_t i, std::size_t j) const {
    if (i == from_.size()) return ListEdit::add;
    if (j == to_.size()) return ListEdit::remove;
    if (distances_.empty()) return ListEdit::change;
    const int left = distance(i, j);
    if (left == distance(i + 1, j + 1) + cost(i, j)) return ListEdit::change;
    return left == distance(i + 1, j) + EditCost::remove_or_add ? ListEdit::remove : ListEdit::add;
  }

  /// What it costs to make the `j`th item of the one list of the `i`th of the other.
  [[nodiscard]] int cost(std::size_t i, std::size_t j) const {
    return costs_.empty() ? change_cost(Compared<T>(from_[i]), Compared<T>(to_[j]))
                          : costs_[i * to_.size() + j];
  }

 private:
  /// Pairs of items that are compared at most to find the shortest way. Beyond, items are changed
  /// place by place, which is longer and as right.
  static constexpr std::size_t max_compared = 4096;

  void find_costs() {
    std::vector<Compared<T>> wanted;
    wanted.reserve(to_.size());
    for (const T& item : to_) wanted.emplace_back(item);
    costs_.reserve(from_.size() * to_.size());
    for (const T& item : from_) {
      const Compared<T> before(item);
      for (const Compared<T>& after : wanted)
        costs_.push_back(static_cast<unsigned char>(change_cost(before, after)));
    }
  }

  [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const noexcept {
    return i * (to_.size() + 1) + j;
  }
  [[nodiscard]] int distance(std::size_t i, std::size_t j) const noexcept {
    return distances_[place(i, j)];
  }

  std::span<const T> from_;
  std::span<const T> to_;
  std::vector<unsigned char> costs_;
  std::vector<int> distances_;
};

}  // namespace schedpol::json::detail
