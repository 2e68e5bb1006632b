// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An order of the entries of a policy, in which two are equivalent exactly when they are equal. It
/// is what finds an entry again among many; it says nothing of what entries mean.

#include <schedpol/core/any_or.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <compare>
#include <string>

namespace schedpol::scheduling_policy::detail {

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
  template <class T>
  static std::strong_ordering compare(const AnyOr<T>& a, const AnyOr<T>& b) {
    if (a.is_any() != b.is_any()) return a.is_any() <=> b.is_any();
    if (a.is_listed() != b.is_listed()) return a.is_listed() <=> b.is_listed();
    return compare_lists(a.listed(), b.listed());
  }
  static std::strong_ordering compare(const TolerationPattern& a, const TolerationPattern& b) {
    return first_difference(compare(a.keys, b.keys), compare(a.operators, b.operators),
                            compare(a.values, b.values), compare(a.effects, b.effects));
  }
  static std::strong_ordering compare(const RequirementPattern& a, const RequirementPattern& b) {
    return first_difference(compare(a.keys, b.keys), compare(a.operators, b.operators),
                            compare(a.values, b.values));
  }
  static std::strong_ordering compare(const TermPattern& a, const TermPattern& b) {
    return first_difference(compare(a.match_expressions, b.match_expressions),
                            compare(a.match_fields, b.match_fields));
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

}  // namespace schedpol::scheduling_policy::detail
