// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

SCHEDPOL_INLINE bool Requirement::holds(const std::string* value) const noexcept {
  switch (operator_) {
    case Operator::in: return lists(value);
    case Operator::not_in: return !lists(value);
    case Operator::exists: return value != nullptr;
    case Operator::does_not_exist: return value == nullptr;
    case Operator::gt:
    case Operator::lt: break;
    case Operator::unset:
    case Operator::unknown: return false;
  }
  const auto number = value != nullptr ? signed_int64(*value) : std::nullopt;
  if (!number) return false;
  return operator_ == Operator::gt ? *number > bound : *number < bound;
}

SCHEDPOL_INLINE bool Requirement::lists(const std::string* value) const noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

SCHEDPOL_INLINE bool hold(const Conjunction& all, const Labels& labels) noexcept {
  return all_of(all, [&](const Requirement& requirement) {
    return requirement.holds(find_label(labels, requirement.key));
  });
}

SCHEDPOL_INLINE std::optional<Requirement> to_requirement(
    const NodeSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  FieldErrors errors;
  validate_expression(errors, PathBuilder(), expression);
  if (!errors.empty()) return std::nullopt;
  Requirement requirement{expression.key, expression.operator_.word(), expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  if (requirement.operator_ == Operator::gt || requirement.operator_ == Operator::lt) {
    const auto bound = signed_int64(expression.values.front());
    if (!bound) return std::nullopt;
    requirement.bound = *bound;
  }
  return requirement;
}

SCHEDPOL_INLINE std::optional<Conjunction> to_conjunction(const NodeSelectorTerm& term) {
  if (is_empty(term)) return std::nullopt;
  Conjunction all;
  for (const NodeSelectorRequirement& expression : term.match_expressions) {
    auto requirement = to_requirement(expression);
    if (!requirement) return std::nullopt;
    all.push_back(*std::move(requirement));
  }
  Conjunction excluded;
  for (const NodeSelectorRequirement& expression : term.match_fields) {
    const auto word = expression.operator_.word();
    if (word != NodeSelectorOperator::in && word != NodeSelectorOperator::not_in)
      return std::nullopt;
    if (expression.key != "metadata.name" || expression.values.size() != 1) return std::nullopt;
    (word == NodeSelectorOperator::in ? all : excluded)
        .push_back({"", word, expression.values.vector()});
  }
  append(all, std::move(excluded));
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
