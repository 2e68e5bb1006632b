// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace SCHEDPOL_NAMESPACE::detail {

SCHEDPOL_INLINE std::optional<std::int64_t> label_int64(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

SCHEDPOL_INLINE bool Requirement::holds(const std::string* value) const noexcept {
  switch (operator_) {
    case Operator::in: return lists(value);
    case Operator::not_in: return !lists(value);
    case Operator::exists: return value != nullptr;
    case Operator::does_not_exist: return value == nullptr;
    case Operator::gt:
    case Operator::lt: break;
  }
  const auto number = value != nullptr ? label_int64(*value) : std::nullopt;
  if (!number) return false;
  return operator_ == Operator::gt ? *number > bound : *number < bound;
}

SCHEDPOL_INLINE bool Requirement::lists(const std::string* value) const noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

SCHEDPOL_INLINE bool hold(const std::vector<Requirement>& requirements,
                          const Labels& labels) noexcept {
  for (const Requirement& requirement : requirements) {
    if (!requirement.holds(find_label(labels, requirement.key))) return false;
  }
  return true;
}

SCHEDPOL_INLINE std::optional<Requirement> requirement_of(
    const NodeSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  FieldErrors errors;
  validate_expression(errors, PathBuilder(), expression);
  if (!errors.empty()) return std::nullopt;
  Requirement requirement{.key = expression.key, .values = expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  switch (expression.operator_.word()) {
    case NodeSelectorOperator::in: requirement.operator_ = Operator::in; break;
    case NodeSelectorOperator::not_in: requirement.operator_ = Operator::not_in; break;
    case NodeSelectorOperator::exists: requirement.operator_ = Operator::exists; break;
    case NodeSelectorOperator::does_not_exist:
      requirement.operator_ = Operator::does_not_exist;
      break;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt: {
      const auto bound = label_int64(expression.values.front());
      if (!bound) return std::nullopt;
      requirement.bound = *bound;
      const bool greater = expression.operator_ == NodeSelectorOperator::gt;
      requirement.operator_ = greater ? Operator::gt : Operator::lt;
      break;
    }
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown: return std::nullopt;
  }
  return requirement;
}

SCHEDPOL_INLINE std::optional<Term> term_of(const NodeSelectorTerm& from) {
  if (is_empty(from)) return std::nullopt;
  Term term;
  for (const NodeSelectorRequirement& expression : from.match_expressions) {
    auto requirement = requirement_of(expression);
    if (!requirement) return std::nullopt;
    term.requirements.push_back(*std::move(requirement));
  }
  for (const NodeSelectorRequirement& expression : from.match_fields) {
    const bool in = expression.operator_ == NodeSelectorOperator::in;
    if (!in && expression.operator_ != NodeSelectorOperator::not_in) return std::nullopt;
    if (expression.key != "metadata.name" || expression.values.size() != 1) return std::nullopt;
    (in ? term.names : term.excluded_names).push_back(expression.values.front());
  }
  return term;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
