// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the API server finds wrong with labels, tolerations and affinities when an object is
/// created, with its field paths and error types. The API server's lenient checks for updates are not
/// implemented. Matching does not need validation: malformed input matches nothing. Sources:
/// Kubernetes, `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] std::vector<FieldError> validate(const Labels& labels,
                                               const FieldPath& field = {"metadata", "labels"});

/// Tolerations:
/// 1. a key that is not a label key;
/// 2. an empty key without Exists, reported at the operator;
/// 3. tolerationSeconds without NoExecute, reported at the effect;
/// 4. with Equal, a value that is not a label value; with Exists, any value; both reported at the operator;
/// 5. an operator or effect that is not supported. Lt and Gt are not: the API server refuses them
///    unless their feature gate (KEP-5471) is on, and it is off by default.
[[nodiscard]] std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                               const FieldPath& field = {"spec", "tolerations"});

/// Affinities of all three kinds, with the paths of the document. Any breach of a rule is an error:
/// 1. required node affinity has a term;
/// 2. an expression has a label key and a known operator; In and NotIn have values, Exists and
///    DoesNotExist none, Gt and Lt one. The values are label values, except in preferred node
///    affinity, where the API server does not check them;
/// 3. a field expression has the key `metadata.name`, In or NotIn, and one value, a subdomain;
/// 4. the weight of a preferred term is 1 to 100;
/// 5. a pod affinity term has a topologyKey, which is a label key; its namespaces are DNS labels;
///    the labels of its selectors are valid, and rule 2 holds for their expressions;
/// 6. its matchLabelKeys and mismatchLabelKeys are label keys, no key is in both, and there are none
///    without a labelSelector (nothing else is then reported about them);
/// 7. if an expression of the labelSelector has a key of matchLabelKeys, then no earlier expression and
///    no matchLabels entry has that key: the API server adds one such expression itself. The error is at
///    the term followed by the index of the key, as in the API server;
/// 8. a label selector has at most `max_selector_requirements` pairs and expressions, and an expression
///    at most `max_expression_values` values. The API server has no such limits.
[[nodiscard]] std::vector<FieldError> validate(const Affinity& affinity,
                                               const FieldPath& field = {"spec", "affinity"});

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/validation.ipp>
#endif
