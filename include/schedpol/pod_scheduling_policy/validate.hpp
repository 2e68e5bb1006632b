// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a PodSchedulingPolicy. The API server must accept in a pod what the policy
/// injects, so errors show when the policy is written and not with its first pod. Source: the
/// validation of pods in the Kubernetes API server.

#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// Errors in the name, in the selectors, and in criteria that the API server would refuse in a pod; a
/// namespaceSelector in the namespaced kind; a namespace of the cluster kind; more than
/// `max_policy_bytes` or `max_given_items`.
[[nodiscard]] std::vector<FieldError> validate(const PodSchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/validate.ipp>
#endif
