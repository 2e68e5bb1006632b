// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the API server finds wrong with labels, tolerations and affinities when an object is
/// created, with its field paths and error types. Matching does not depend on it: what is malformed
/// matches nothing. The lenient readings of updates are not taken. Sources: Kubernetes,
/// `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] std::vector<FieldError> validate(const Labels& labels,
                                               const FieldPath& field = {"metadata", "labels"});

/// Tolerations:
/// 1. a key that is no label key;
/// 2. an empty key without Exists, reported at the operator;
/// 3. tolerationSeconds without NoExecute, reported at the effect;
/// 4. a value that is no label value (Equal), or there at all (Exists), reported at the operator;
/// 5. an operator or effect that is not supported. Lt and Gt are none that are: the API server
///    refuses them unless its feature gate for them (KEP-5471) is on, and it is off by default.
[[nodiscard]] std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                               const FieldPath& field = {"spec", "tolerations"});

/// Affinities, all three kinds, with the paths of the document:
/// 1. required node affinity has a term;
/// 2. an expression has a label key and a known operator; In and NotIn have values, Exists and
///    DoesNotExist none, Gt and Lt one. The values are label values, except in preferred node
///    affinity, where the API server does not look at them;
/// 3. a field expression is `metadata.name`, In or NotIn, with one value, a subdomain;
/// 4. the weight of a preferred term is 1 to 100;
/// 5. a pod affinity term has a topologyKey, which is a label key; its namespaces are DNS labels;
///    the labels of its selectors are labels, and rule 2 holds for their expressions;
/// 6. its matchLabelKeys and mismatchLabelKeys are label keys, no key is in both, and without a
///    labelSelector there are none (which is then all that is reported of them);
/// 7. a key of matchLabelKeys that an expression of the labelSelector is about is in no expression
///    before that one, nor in matchLabels: the API server adds one such expression itself. Reported
///    at the term followed by the index of the key, which is the API server's path;
/// 8. a label selector has at most `max_selector_requirements` pairs and expressions, and an expression
///    `max_expression_values` values, of which the API server permits any number.
[[nodiscard]] std::vector<FieldError> validate(const Affinity& affinity,
                                               const FieldPath& field = {"spec", "affinity"});

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/validation.ipp>
#endif
