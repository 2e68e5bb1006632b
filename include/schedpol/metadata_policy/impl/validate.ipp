// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

inline void add_parts(schedpol::detail::SpecSize& size, const MetadataPolicyRule& rule) {
  const auto& [predicate, action] = rule;
  size.add_all(predicate.label_selector, predicate.annotation_selector, action.updated_labels,
               action.updated_annotations);
}

namespace detail {

inline void validate_predicate(schedpol::detail::FieldErrors& errors,
                               const schedpol::detail::PathBuilder& at,
                               const PolicyPredicate& predicate) {
  using schedpol::detail::validate_selector;
  if (predicate.label_selector) {
    validate_selector(errors, at.child("labelSelector"), *predicate.label_selector,
                      SelectedValues::labels);
  }
  if (predicate.annotation_selector) {
    validate_selector(errors, at.child("annotationSelector"), *predicate.annotation_selector,
                      SelectedValues::annotations);
  }
}

/// The key of an annotation is a qualified name, too, but its case does not matter to the API server.
[[nodiscard]] inline std::vector<std::string> annotation_key_problems(std::string key) {
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return schedpol::detail::label_key_problems(key);
}

inline void validate_action(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& at, const PolicyAction& action) {
  schedpol::detail::validate_labels(errors, at.child("updatedLabels"), action.updated_labels);
  const schedpol::detail::PathBuilder annotations = at.child("updatedAnnotations");
  for (const auto& [key, value] : action.updated_annotations)
    errors.add_all(annotations, key, annotation_key_problems(key));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const MetadataPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_metadata(errors, object.child("metadata"), policy.metadata);
  const schedpol::detail::PathBuilder spec = object.child("spec");
  const schedpol::detail::PathBuilder rules = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const schedpol::detail::PathBuilder rule = rules.index(i);
    detail::validate_predicate(errors, rule.child("policyPredicate"),
                               policy.spec.rules[i].policy_predicate);
    detail::validate_action(errors, rule.child("policyAction"), policy.spec.rules[i].policy_action);
  }
  schedpol::detail::SpecSize size;
  size.add(policy.spec.rules);
  size.validate(errors, spec);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
