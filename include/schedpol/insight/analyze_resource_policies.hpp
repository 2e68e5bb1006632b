// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about ResourcePolicies although each is valid:
/// 1. SelectsNothing: a podSelector that no labels satisfy, or the nodeSelector of a unit.
/// 2. SelectionsOverlap: two of one namespace can select one pod, which `admit` denies.
/// 3. UnitsOverlap: a node can be in two units of one policy, and takes a pod only where neither is
///    full.

#include <schedpol/insight/finding.hpp>
#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// In the order of the list above, of each policy and unit the first of a sort. Those that
/// `validate` finds errors in are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_resource_policies.ipp>
#endif
