// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// How many values an operator takes.
enum class Takes { some, none, one, unknown_operator };

inline Takes takes(NodeSelectorOperator word) noexcept {
  switch (word) {
    case NodeSelectorOperator::in:
    case NodeSelectorOperator::not_in: return Takes::some;
    case NodeSelectorOperator::exists:
    case NodeSelectorOperator::does_not_exist: return Takes::none;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt: return Takes::one;
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown: break;
  }
  return Takes::unknown_operator;
}

/// The rule for both kinds of expressions; `known` lists the operators that there are of the kind.
template <class Expression>
void validate_any_expression(FieldErrors& errors, const PathBuilder& place,
                             const Expression& expression, Values values, std::string_view known) {
  const PathBuilder listed = place.child("values");
  switch (takes(node_operator(expression.operator_.word()))) {
    case Takes::some:
      if (!expression.values.empty()) break;
      errors.add(ErrorType::required, listed, "", "In and NotIn need at least one value");
      break;
    case Takes::none:
      if (expression.values.empty()) break;
      errors.add(ErrorType::forbidden, listed, "", "Exists and DoesNotExist take no values");
      break;
    case Takes::one:
      if (expression.values.size() == 1) break;
      errors.add(ErrorType::required, listed, "", "Gt and Lt need one value");
      break;
    case Takes::unknown_operator:
      errors.add(ErrorType::invalid, place.child("operator"), expression.operator_.text(),
                 "must be " + std::string(known) + did_you_mean(expression.operator_));
      break;
  }
  errors.add_all(place.child("key"), expression.key, label_key_problems(expression.key));
  if (values == Values::free) return;
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    errors.add_all(listed.index(i), expression.values[i],
                   label_value_problems(expression.values[i]));
  }
}

SCHEDPOL_INLINE void validate_count(FieldErrors& errors, const PathBuilder& place,
                                    std::size_t count, std::size_t most) {
  if (count <= most) return;
  errors.add(ErrorType::too_many, place, std::to_string(count),
             "must be at most " + std::to_string(most));
}

template <class Expression>
void validate_expressions(FieldErrors& errors, const PathBuilder& place,
                          const std::vector<Expression>& expressions, Values values) {
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const PathBuilder item = place.index(i);
    validate_count(errors, item.child("values"), expressions[i].values.size(),
                   max_expression_values);
    validate_expression(errors, item, expressions[i], values);
  }
}

SCHEDPOL_INLINE void validate_labels(FieldErrors& errors, const PathBuilder& place,
                                     const Labels& labels, Values values) {
  for (const auto& [key, value] : labels) {
    errors.add_all(place, key, label_key_problems(key));
    if (values == Values::checked) errors.add_all(place, value, label_value_problems(value));
  }
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const PathBuilder& place,
                                         const LabelSelectorRequirement& expression,
                                         Values values) {
  validate_any_expression(errors, place, expression, values, "In, NotIn, Exists or DoesNotExist");
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const PathBuilder& place,
                                         const NodeSelectorRequirement& expression, Values values) {
  validate_any_expression(errors, place, expression, values,
                          "In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

SCHEDPOL_INLINE void validate_field_expression(FieldErrors& errors, const PathBuilder& place,
                                               const NodeSelectorRequirement& expression) {
  const PathBuilder values = place.child("values");
  if (takes(expression.operator_.word()) != Takes::some) {
    errors.add(ErrorType::invalid, place.child("operator"), expression.operator_.text(),
               "must be In or NotIn" + did_you_mean(expression.operator_));
  } else if (expression.values.size() != 1) {
    errors.add(ErrorType::required, values, "", "In and NotIn need one value");
  }
  if (expression.key != "metadata.name") {
    errors.add(ErrorType::invalid, place.child("key"), expression.key, "must be metadata.name");
    return;
  }
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    errors.add_all(values.index(i), expression.values[i], subdomain_problems(expression.values[i]));
  }
}

SCHEDPOL_INLINE void validate_term(FieldErrors& errors, const PathBuilder& place,
                                   const NodeSelectorTerm& term, Values values) {
  validate_expressions(errors, place.child("matchExpressions"), term.match_expressions, values);
  const PathBuilder fields = place.child("matchFields");
  for (std::size_t i = 0; i < term.match_fields.size(); ++i)
    validate_field_expression(errors, fields.index(i), term.match_fields[i]);
}

SCHEDPOL_INLINE void validate_selector(FieldErrors& errors, const PathBuilder& place,
                                       const LabelSelector& selector, SelectedValues selected) {
  const Values values = selected == SelectedValues::labels ? Values::checked : Values::free;
  validate_labels(errors, place.child("matchLabels"), selector.match_labels, values);
  validate_expressions(errors, place.child("matchExpressions"), selector.match_expressions, values);
  validate_count(errors, place, selector.match_labels.size() + selector.match_expressions.size(),
                 max_selector_requirements);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
