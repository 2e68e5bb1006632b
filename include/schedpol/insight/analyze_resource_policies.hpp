// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about ResourcePolicies although each is valid:
/// 1. SelectsNothing: no labels satisfy a podSelector, or the nodeSelector of a unit.
/// 2. SelectionsOverlap: two policies of one namespace can select the same pod, which `admit` denies.
/// 3. UnitsOverlap: a node can be in two units of one policy, and then takes a pod only if neither unit
///    is full.

#include <schedpol/insight/finding.hpp>
#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Findings in the order of this list; for each policy and unit the first with each code. Policies with
/// errors of `validate` are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_resource_policies.ipp>
#endif
