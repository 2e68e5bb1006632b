// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include <utility>

namespace schedpol::pod_scheduling_policy {

SCHEDPOL_INLINE std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const PodSchedulingPolicySpec& from = policy.spec;
  const schedpol::detail::Place root;
  const schedpol::detail::Place metadata = root.child("metadata");
  const schedpol::detail::Place spec = root.child("spec");
  const schedpol::detail::Place namespaces = spec.child("namespaceSelector");
  validate_name(errors, metadata.child("name"), policy.metadata.name);
  if (from.pod_selector)
    validate_selector(errors, spec.child("podSelector"), *from.pod_selector,
                      SelectedValues::labels);
  if (from.namespace_selector) {
    validate_selector(errors, namespaces, *from.namespace_selector, SelectedValues::labels);
    if (policy.kind == PolicyKind::pod_scheduling_policy) {
      errors.add(ErrorType::forbidden, namespaces, "", "only the cluster kind selects namespaces");
    }
  }
  validate_labels(errors, spec.child("nodeSelector"), from.node_selector);
  validate_tolerations(errors, spec.child("tolerations"), from.tolerations);
  if (from.affinity) validate_affinity(errors, spec.child("affinity"), *from.affinity);
  return std::move(errors).take();
}

}  // namespace schedpol::pod_scheduling_policy
