// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What makes a PodSchedulingPolicy good, for `validate` and for `compile`.

#include <schedpol/core/impl/given_items.hpp>
#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`.
inline void validate_policy(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& place,
                            const PodSchedulingPolicy& policy) {
  const PodSchedulingPolicySpec& from = policy.spec;
  const schedpol::detail::PathBuilder spec = place.child("spec");
  const schedpol::detail::PathBuilder namespaces = spec.child("namespaceSelector");
  const schedpol::detail::PathBuilder metadata = place.child("metadata");
  if (policy.kind == PolicyKind::pod_scheduling_policy) {
    validate_metadata(errors, metadata, policy.metadata);
  } else {
    validate_cluster_metadata(errors, metadata, to_string(policy.kind), policy.metadata);
  }
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
  validate_name(errors, spec.child("nodeName"), from.node_name);
  validate_length(errors, spec.child("schedulerName"), from.scheduler_name, max_subdomain_bytes);
  schedpol::detail::SpecSize size;
  size.add_all(from.namespace_selector, from.pod_selector, from.node_name, from.scheduler_name,
               from.node_selector, from.tolerations, from.affinity);
  size.validate(errors, spec);
  schedpol::detail::validate_given_items(errors, spec, from);
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail
