// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Writes one pattern: `{keys: [a, b], values: []}`.
class PatternText {
 public:
  PatternText() {
    text_.reserve(100);  // most are shorter
    text_ += '{';
  }

  /// `name: [a, b]` after what stands there already; nothing for an absent list.
  template <class List>
  void add(std::string_view name, const AnyOr<List>& list) {
    if (list.is_absent()) return;
    if (text_.back() != '{') add(", ");
    add(name);
    if (list.is_any()) return add(": []");
    std::string_view before = ": [";
    for (const auto& item : list.listed()) {
      add(std::exchange(before, ", "));
      add_item(item);
    }
    add(list.listed().empty() ? ": none" : "]");
  }

  [[nodiscard]] std::string take() && { return std::move(text_ += '}'); }

 private:
  void add(std::string_view text) { text_ += text; }

  /// An empty item is `""`, so that a list of it is not taken for an empty list.
  void add_item(std::string_view item) {
    constexpr Separators separators(",[]{}: \"");
    append_escaped(text_, item, separators);
    if (item.empty()) text_ += "\"\"";
  }
  template <class Word>
  void add_item(const OpenEnum<Word>& item) {
    add_item(item.text());
  }
  void add_item(const RequirementPattern& item) { text_ += to_string(item); }

  std::string text_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string to_string(const TolerationPattern& pattern) {
  detail::PatternText text;
  text.add("keys", pattern.keys);
  text.add("operators", pattern.operators);
  text.add("values", pattern.values);
  text.add("effects", pattern.effects);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const RequirementPattern& pattern) {
  detail::PatternText text;
  text.add("keys", pattern.keys);
  text.add("operators", pattern.operators);
  text.add("values", pattern.values);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const TermPattern& pattern) {
  detail::PatternText text;
  text.add("matchExpressions", pattern.match_expressions);
  text.add("matchFields", pattern.match_fields);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const SpreadConstraintPattern& pattern) {
  detail::PatternText text;
  text.add("topologyKeys", pattern.topology_keys);
  text.add("whenUnsatisfiable", pattern.when_unsatisfiable);
  return std::move(text).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
