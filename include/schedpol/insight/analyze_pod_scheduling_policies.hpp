// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about PodSchedulingPolicies although each is valid:
/// 1. SelectsNothing: an absent selector, or one that no labels satisfy; the policy never applies.
/// 2. RequirementUnmet: no node meets any of the required terms together with the policy's own
///    nodeSelector, so that they are injected into no pod.
/// 3. WritesDiffer: two that can select one pod, shown with its namespace, have different values of
///    nodeName, schedulerName or a key of the nodeSelector, or ask for nodes of which none meets
///    both. What the first in order injects stays, and that of the other is skipped.
/// 4. LimitExceeded: a pod that has the labels which one of them selects, and no others, is selected by
///    policies that give it more than `max_given_items` together, and so denied. Said once of each; pods
///    with the labels of several are not looked for.
/// Namespaces have the labels that it takes, and the one with their name.

#include <schedpol/insight/finding.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// In the order of the list above, of each policy the first of a sort. Those that `validate` finds
/// something wrong with are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_pod_scheduling_policies.ipp>
#endif
