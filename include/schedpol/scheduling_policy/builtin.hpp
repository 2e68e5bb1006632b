// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that the SchedulingPolicy proposal provisions in every cluster, as values.
/// `rbac/builtin.hpp` has the RBAC objects that let pods use them. Source: the SchedulingPolicy
/// proposal, "Default SchedulingPolicies".

#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class PlatformLabels {
  current,   ///< as nodes have them: `kubernetes.io/arch`, `kubernetes.io/os`, values like `linux`
  proposal,  ///< as the proposal spells them, on no node: `beta.kubernetes.io/...`, `Linux`
};

[[nodiscard]] constexpr std::string_view to_string(PlatformLabels labels) noexcept {
  return labels == PlatformLabels::current ? "Current" : "Proposal";
}

/// `restricted`: only the default scheduler; no priority class, toleration, node selector or
/// affinity.
[[nodiscard]] SchedulingPolicy restricted();

/// `privileged`: all schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] SchedulingPolicy privileged();

/// `restricted-multiarch-by-node-selector`: the default scheduler, and a node selector that picks an
/// architecture (amd64 or arm64) and an operating system (Linux or Windows); amd64 and Linux by
/// default.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_node_selector(
    PlatformLabels labels = PlatformLabels::current);

/// `restricted-multiarch-by-affinity`: the same with required node affinity.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_affinity(
    PlatformLabels labels = PlatformLabels::current);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/builtin.ipp>
#endif
