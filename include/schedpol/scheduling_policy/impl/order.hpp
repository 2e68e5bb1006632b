// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An order of expressions, in which two are equivalent exactly when they are equal. It is what
/// finds one again among many; it says nothing of what they mean.

#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/open_enum.hpp>

#include <algorithm>
#include <compare>
#include <string>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

struct EntryOrder {
  template <class T>
  bool operator()(const T* a, const T* b) const {
    return compare(*a, *b) < 0;
  }

 private:
  static std::strong_ordering compare(const std::string& a, const std::string& b) noexcept {
    return a <=> b;
  }
  template <class Word>
  static std::strong_ordering compare(const OpenEnum<Word>& a, const OpenEnum<Word>& b) noexcept {
    return a.text() <=> b.text();
  }
  static std::strong_ordering compare(const NodeSelectorRequirement& a,
                                      const NodeSelectorRequirement& b) {
    return first_difference(compare(a.key, b.key), compare(a.operator_, b.operator_),
                            compare_lists(a.values, b.values));
  }

  template <class List>
  static std::strong_ordering compare_lists(const List& a, const List& b) {
    const auto [in_a, in_b] =
        std::mismatch(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return compare(x, y) == 0; });
    if (in_a == a.end() || in_b == b.end()) return a.size() <=> b.size();
    return compare(*in_a, *in_b);
  }

  template <class... Orderings>
  static std::strong_ordering first_difference(Orderings... orderings) noexcept {
    std::strong_ordering first = std::strong_ordering::equal;
    static_cast<void>((((first = orderings) != 0) || ...));
    return first;
  }
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
