// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Selectors as requirements that hold together, and the search for labels that they select.

#include <schedpol/core/impl/fresh_name.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_selector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// Requirements that hold together, of a selector or of one term. That of the empty key is about
/// the name of a node, which every node has.
using Conjunction = std::vector<Requirement>;

/// Nothing where it selects nothing.
inline std::optional<Conjunction> conjunction_of(const std::optional<LabelSelector>& selector,
                                                 SelectedValues selected = SelectedValues::labels) {
  if (!selector || !compile(selector, {}, selected)) return std::nullopt;
  Conjunction all;
  for (const auto& [key, value] : selector->match_labels)
    all.push_back({.key = key, .values = {value}});
  for (const LabelSelectorRequirement& expression : selector->match_expressions)
    all.push_back(requirement_of(expression));
  return all;
}
inline std::optional<Conjunction> conjunction_of(const NodeSelectorTerm& from) {
  std::optional<Term> term = term_of(from);
  if (!term) return std::nullopt;
  Conjunction all = std::move(term->requirements);
  for (std::string& name : term->names) all.push_back({.key = "", .values = {std::move(name)}});
  for (std::string& name : term->excluded_names)
    all.push_back({"", Requirement::Operator::not_in, {std::move(name)}});
  return all;
}

/// Looks for labels and a name that satisfy one conjunction and none of several others. Of the
/// values of a key it looks at those that the requirements tell apart.
class CounterexampleSearch {
 public:
  using Values = std::vector<std::optional<std::string>>;  ///< nothing: the key is missing

  CounterexampleSearch(const Conjunction& from, const std::vector<Conjunction>& others)
      : others_(others) {
    add_keys(from);
    for (const Conjunction& other : others) add_keys(other);
    for (auto& [key, of_key] : requirements_) {
      Values& values = values_[key] = distinguishing_values(of_key);
      if (key.empty()) std::erase(values, std::nullopt);
    }
    for (const Requirement& requirement : from) keep(values_[requirement.key], requirement, true);
    for (const auto& [key, values] : values_) exists_ = exists_ && !values.empty();
    exists_ = exists_ && escapes(0);
  }

  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] bool gave_up() const noexcept { return steps_ > max_selector_steps; }

  /// The labels, the name as that of the empty key.
  [[nodiscard]] Labels labels() const {
    Labels labels;
    for (const auto& [key, values] : values_)
      if (values.front()) labels.emplace(key, *values.front());
    return labels;
  }

 private:
  void add_keys(const Conjunction& conjunction) {
    for (const Requirement& requirement : conjunction)
      requirements_[requirement.key].push_back(&requirement);
  }

  static void keep(Values& values, const Requirement& requirement, bool holds) {
    std::erase_if(values, [&](const std::optional<std::string>& value) {
      return requirement.holds(value ? &*value : nullptr) != holds;
    });
  }

  static Values distinguishing_values(const std::vector<const Requirement*>& requirements) {
    std::set<std::string_view> listed;
    std::set<std::int64_t> bounds;
    for (const Requirement* requirement : requirements) {
      listed.insert(requirement->values.begin(), requirement->values.end());
      const bool compares = requirement->operator_ == Requirement::Operator::gt ||
                            requirement->operator_ == Requirement::Operator::lt;
      if (compares) bounds.insert(std::max<std::int64_t>(requirement->bound, -1));
    }
    Values values = {std::nullopt, fresh_name("other", listed)};
    for (const std::string_view value : listed) values.emplace_back(value);
    const auto is_listed = [&](std::int64_t number) { return !spelled(number, listed); };
    for (const std::int64_t number : numbers_around(bounds, -1, is_listed))
      if (const auto text = spelled(number, listed)) values.push_back(text);
    return values;
  }

  /// A label value that is this number and not listed. None is negative, and zeros may lead.
  static std::optional<std::string> spelled(std::int64_t number,
                                            const std::set<std::string_view>& listed) {
    if (number < 0) return std::nullopt;
    for (std::string text = std::to_string(number); text.size() <= max_label_value_bytes;
         text.insert(0, 1, '0')) {
      if (!listed.contains(text)) return text;
    }
    return std::nullopt;
  }

  /// Whether there are values that break a requirement of each of the others from `i` on.
  bool escapes(std::size_t i) {
    if (i == others_.size()) return true;
    for (const Requirement& requirement : others_[i]) {
      if (++steps_ > max_selector_steps) return false;
      Values& values = values_[requirement.key];
      Values before = values;
      keep(values, requirement, false);
      if (!values.empty() && escapes(i + 1)) return true;
      values = std::move(before);
    }
    return false;
  }

  const std::vector<Conjunction>& others_;
  std::map<std::string_view, std::vector<const Requirement*>> requirements_;
  std::map<std::string_view, Values> values_;
  std::size_t steps_ = 0;
  bool exists_ = true;
};

/// The same with one requirement of an operator for each key. Each of them is held against every
/// value that is told apart, so that many of one key would take the square of their number.
inline Conjunction condensed(const Conjunction& all) {
  using Operator = Requirement::Operator;
  std::map<std::pair<std::string_view, Operator>, Requirement> by_key;
  for (const Requirement& each : all) {
    const auto [found, added] = by_key.try_emplace({each.key, each.operator_}, each);
    if (added) continue;
    Requirement& one = found->second;
    const std::vector<std::string>& more = each.values;
    switch (each.operator_) {
      case Operator::in:
        std::erase_if(one.values, [&](const std::string& value) {
          return !std::binary_search(more.begin(), more.end(), value);
        });
        break;
      case Operator::not_in: one.values.insert(one.values.end(), more.begin(), more.end()); break;
      case Operator::gt: one.bound = std::max(one.bound, each.bound); break;
      case Operator::lt: one.bound = std::min(one.bound, each.bound); break;
      case Operator::exists:
      case Operator::does_not_exist: break;
    }
  }
  Conjunction condensed;
  for (auto& [key, one] : by_key) {
    std::sort(one.values.begin(), one.values.end());
    condensed.push_back(std::move(one));
  }
  return condensed;
}

inline std::optional<Labels> labels_of(const std::optional<Conjunction>& conjunction) {
  if (!conjunction) return std::nullopt;
  const std::vector<Conjunction> none;
  const Conjunction each_once = condensed(*conjunction);
  const CounterexampleSearch escape(each_once, none);
  return escape.exists() ? std::optional(escape.labels()) : std::nullopt;
}

[[nodiscard]] inline bool can_match_a_node(const NodeSelectorTerm& term) {
  return labels_of(conjunction_of(term)).has_value();
}

}  // namespace SCHEDPOL_NAMESPACE::detail
