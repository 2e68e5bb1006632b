// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The algorithms of the standard library of these names, for whole lists. Without optimisation each use
/// of those compiles eight functions, of these one. With it those that search compile four times what they
/// ask, which for a pattern is long.

#include <schedpol/version.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// Whether `holds` is true of one item at least.
template <class List, class Predicate>
[[nodiscard]] constexpr bool any_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (holds(item)) return true;
  return false;
}

/// Whether it is true of no item.
template <class List, class Predicate>
[[nodiscard]] constexpr bool none_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (holds(item)) return false;
  return true;
}

/// Whether it is true of every item.
template <class List, class Predicate>
[[nodiscard]] constexpr bool all_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (!holds(item)) return false;
  return true;
}

/// Whether one of the items is equal to this one.
template <class List, class Item>
[[nodiscard]] constexpr bool contains(const List& list, const Item& wanted) {
  for (const auto& item : list)
    if (item == wanted) return true;
  return false;
}

/// The indices of what `list` has and `other` does not have as often.
template <class Item>
[[nodiscard]] std::vector<std::size_t> missing_from(std::vector<Item> other,
                                                    const std::vector<Item>& list) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto at = other.begin();
    while (at != other.end() && !(*at == list[i])) ++at;
    if (at != other.end()) {
      other.erase(at);
    } else {
      missing.push_back(i);
    }
  }
  return missing;
}

/// Erases every item of which it is true; the others stay in their order.
template <class Item, class Predicate>
void erase_if(std::vector<Item>& list, Predicate&& holds) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (holds(list[i])) continue;
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  while (list.size() > kept) list.pop_back();
}

/// Adds the items of a list to the end of another one; moves them where the list is given away.
template <class Item, class List>
void append(std::vector<Item>& to, List&& from) {
  for (auto& item : from) {
    if constexpr (std::is_lvalue_reference_v<List>) {
      to.push_back(item);
    } else {
      to.push_back(std::move(item));
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail
