// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about PodSchedulingPolicies although each is valid:
/// 1. SelectsNothing: a selector is absent, or no labels satisfy it; the policy never applies.
/// 2. RequirementUnmet: no node meets any of the required terms together with the policy's own
///    nodeSelector, so these terms are never injected.
/// 3. WritesDiffer: two policies can select the same pod, which is shown with its namespace. They differ
///    in nodeName, schedulerName or the value of a nodeSelector key, or no node meets both. What the first
///    policy injects stays; the other's is skipped.
/// 4. LimitExceeded: a pod with exactly the labels that one policy selects gets more than `max_given_items`
///    from all policies that select it, and so is denied. Reported once for each policy. Pods with the
///    labels of several policies are not tried.
/// A namespace may have any labels, and always has the label with its name.

#include <schedpol/insight/finding.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// Findings in the order of this list; for each policy the first with each code. Policies with errors of
/// `validate` are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_pod_scheduling_policies.ipp>
#endif
