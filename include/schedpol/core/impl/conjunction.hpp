// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Selectors as requirements that must all hold, and labels that they select.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/fresh_name.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <limits>

namespace SCHEDPOL_NAMESPACE::detail {

/// Nothing where it selects nothing.
inline std::optional<Conjunction> to_conjunction(const std::optional<LabelSelector>& selector,
                                                 SelectedValues selected = SelectedValues::labels) {
  if (!selector || !compile(selector, {}, selected)) return std::nullopt;
  return to_conjunction(*selector);
}

/// A label value that is this number and not listed. None is negative, and zeros may lead.
inline std::optional<std::string> spelled(std::int64_t number,
                                          const std::set<std::string_view>& listed) {
  if (number < 0) return std::nullopt;
  for (std::string text = std::to_string(number); text.size() <= max_label_value_bytes;
       text.insert(0, 1, '0')) {
    if (!listed.contains(text)) return text;
  }
  return std::nullopt;
}

/// The same requirements in the order of their keys, with one of an operator for each key. Each of
/// them is held against every value that is told apart, so that many of one key would take the
/// square of their number.
inline Conjunction condensed(const Conjunction& all) {
  using Operator = Requirement::Operator;
  std::map<std::string_view, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < all.size(); ++i) by_key[all[i].key].push_back(i);
  const auto join = [](Requirement& one, const Requirement& next) {
    if (next.operator_ == Operator::gt) one.bound = std::max(one.bound, next.bound);
    if (next.operator_ == Operator::lt) one.bound = std::min(one.bound, next.bound);
    if (next.operator_ == Operator::in)
      detail::erase_if(one.values, [&](const std::string& value) { return !next.holds(&value); });
    if (next.operator_ == Operator::not_in) append(one.values, next.values);
  };
  Conjunction condensed;
  for (const auto& [key, numbers] : by_key) {
    for (const Operator operator_ : {Operator::in, Operator::not_in, Operator::exists,
                                     Operator::does_not_exist, Operator::gt, Operator::lt}) {
      Requirement* one = nullptr;
      for (const std::size_t number : numbers) {
        if (all[number].operator_ != operator_) continue;
        if (one != nullptr) {
          join(*one, all[number]);
        } else {
          one = &condensed.emplace_back(all[number]);
        }
      }
      if (one != nullptr) std::sort(one->values.begin(), one->values.end());
    }
  }
  return condensed;
}

/// Whether a label may have a value for which all of these hold, at most one of each operator: the
/// first of these that is found, or nothing where the label may be missing.
inline bool find_value(const Conjunction& of_key, std::optional<std::string>& value) {
  std::set<std::string_view> listed;
  const Requirement* above = nullptr;
  const Requirement* below = nullptr;
  for (const Requirement& each : of_key) {
    listed.insert(each.values.begin(), each.values.end());
    if (each.operator_ == Requirement::Operator::gt) above = &each;
    if (each.operator_ == Requirement::Operator::lt) below = &each;
  }
  const auto all_hold = [&](std::optional<std::string> wanted) {
    value = std::move(wanted);
    const std::string* of_label = value ? &*value : nullptr;
    return all_of(of_key, [&](const Requirement& each) { return each.holds(of_label); });
  };
  if (!of_key.front().key.empty() && all_hold(std::nullopt)) return true;
  if (all_hold(fresh_name("other", listed))) return true;
  for (const std::string_view text : listed)
    if (all_hold(std::string(text))) return true;
  if (above == nullptr && below == nullptr) return false;
  // Of numbers that are not listed the next to a bound stands for all.
  const std::int64_t last = below != nullptr ? std::max<std::int64_t>(below->bound, 0) - 1
                                             : std::numeric_limits<std::int64_t>::max();
  std::int64_t number = above != nullptr ? std::max<std::int64_t>(above->bound, -1) : last + 1;
  while (above != nullptr ? number < last : number > 0) {
    number += above != nullptr ? 1 : -1;
    if (std::optional<std::string> text = spelled(number, listed)) return all_hold(std::move(text));
  }
  return false;
}

/// Labels for which all hold, the name of a node as that of the empty key.
inline std::optional<Labels> to_labels(const std::optional<Conjunction>& conjunction) {
  if (!conjunction) return std::nullopt;
  Conjunction all = condensed(*conjunction);
  Labels labels;
  for (std::size_t i = 0; i < all.size();) {
    Conjunction of_key;
    do of_key.push_back(std::move(all[i]));
    while (++i < all.size() && all[i].key == of_key.front().key);
    std::optional<std::string> value;
    if (!find_value(of_key, value)) return std::nullopt;
    if (value) labels.try_emplace(std::move(of_key.front().key), *std::move(value));
  }
  return labels;
}

[[nodiscard]] inline bool compares_numbers(NodeSelectorOperator operator_) noexcept {
  return operator_ == NodeSelectorOperator::gt || operator_ == NodeSelectorOperator::lt;
}

/// Whether an expression does not hold for a value of its label. A malformed one holds for none.
[[nodiscard]] inline bool excludes(const NodeSelectorRequirement& expression,
                                   const std::string& value) {
  const std::optional<Requirement> requirement = to_requirement(expression);
  return !requirement || !requirement->holds(&value);
}

/// The first requirement that a pair of the node selector, which leaves its key one value, does not
/// meet; null where all are met. That of the empty key is about the name of the node.
[[nodiscard]] inline const Requirement* unmet_requirement(const Conjunction& all,
                                                          const Labels& node_selector) noexcept {
  if (node_selector.empty()) return nullptr;
  for (const Requirement& requirement : all) {
    if (requirement.key.empty()) continue;
    const std::string* value = find_label(node_selector, requirement.key);
    if (value != nullptr && !requirement.holds(value)) return &requirement;
  }
  return nullptr;
}

/// Whether a node can meet what a term requires, nothing where it can match none, together with a
/// node selector.
[[nodiscard]] inline bool can_match_a_node(const std::optional<Conjunction>& all,
                                           const Labels& node_selector) {
  return all && unmet_requirement(*all, node_selector) == nullptr && to_labels(all);
}
[[nodiscard]] inline bool can_match_a_node(const NodeSelectorTerm& term,
                                           const Labels& node_selector = {}) {
  return can_match_a_node(to_conjunction(term), node_selector);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
