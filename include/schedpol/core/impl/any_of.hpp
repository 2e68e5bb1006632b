// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is true of the items of a list: the algorithms of the standard library for whole lists. Without
/// optimisation those become eight functions for each use, and these one. With it those of the standard
/// library take fewer instructions of short lists, so that they stay where a pod is cleared.

#include <schedpol/version.hpp>

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

}  // namespace SCHEDPOL_NAMESPACE::detail
