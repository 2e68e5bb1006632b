// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a PodSchedulingPolicy, found when it is written rather than when the first
/// pod comes by: what it injects has to be what the API server takes in a pod. Source: the
/// validation of pods, in the Kubernetes API server.

#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// What is wrong with a policy: its name, its selectors, and criteria that the API server would
/// refuse in the pods they are injected into; a namespaceSelector in the namespaced kind, a namespace
/// of the cluster kind; more than `max_policy_bytes`, and more than `max_given_items`.
[[nodiscard]] std::vector<FieldError> validate(const PodSchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/validate.ipp>
#endif
