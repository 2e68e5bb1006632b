// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules for valid labels, label selectors and node selectors, for validation and for building
/// matchers. Each function adds errors to `errors`, with paths below the path that it is
/// given.

#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node_selector.hpp>

namespace SCHEDPOL_NAMESPACE {

struct LabelSelector;
struct LabelSelectorRequirement;
enum class SelectedValues;

}  // namespace SCHEDPOL_NAMESPACE

namespace SCHEDPOL_NAMESPACE::detail {

/// Of the operator of either selector: those of labels are the first of those of nodes, which have Gt
/// and Lt besides.
template <class Operator>
constexpr NodeSelectorOperator node_operator(Operator word) noexcept {
  return word == Operator::unknown ? NodeSelectorOperator::unknown
                                   : static_cast<NodeSelectorOperator>(word);
}

/// Whether the syntax of values is looked at: the API server does so in selectors of labels and in
/// required node affinity, and not in preferred node affinity. Annotations have none.
enum class Values { checked, free };

/// So many items at most.
void validate_count(FieldErrors& errors, const PathBuilder& place, std::size_t count,
                    std::size_t most);

/// Keys and values. All is reported at the place itself, as the API server does.
void validate_labels(FieldErrors& errors, const PathBuilder& place, const Labels& labels,
                     Values values = Values::checked);

/// Operator, key and values of one expression. This is the one rule on how many values an operator
/// takes: In and NotIn at least one, Exists and DoesNotExist none, Gt and Lt one.
void validate_expression(FieldErrors& errors, const PathBuilder& place,
                         const LabelSelectorRequirement& expression,
                         Values values = Values::checked);
void validate_expression(FieldErrors& errors, const PathBuilder& place,
                         const NodeSelectorRequirement& expression,
                         Values values = Values::checked);

/// One expression of matchFields: `metadata.name`, In or NotIn, one value, which is a subdomain.
void validate_field_expression(FieldErrors& errors, const PathBuilder& place,
                               const NodeSelectorRequirement& expression);

/// With `max_expression_values`, which matching does not ask for.
void validate_term(FieldErrors& errors, const PathBuilder& place, const NodeSelectorTerm& term,
                   Values values = Values::checked);

/// With `max_selector_requirements` and `max_expression_values`.
void validate_selector(FieldErrors& errors, const PathBuilder& place, const LabelSelector& selector,
                       SelectedValues selected);

}  // namespace SCHEDPOL_NAMESPACE::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/selector_rules.ipp>
#endif
