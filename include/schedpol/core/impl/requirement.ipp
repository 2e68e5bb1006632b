// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/decimal_int64.hpp>
#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <utility>

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

SCHEDPOL_INLINE bool hold(const std::vector<Requirement>& requirements,
                          const Labels& labels) noexcept {
  return all_of(requirements, [&](const Requirement& requirement) {
    return requirement.holds(find_label(labels, requirement.key));
  });
}

SCHEDPOL_INLINE std::optional<Requirement> requirement_of(
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
