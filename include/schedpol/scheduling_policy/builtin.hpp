// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The policies that the SchedulingPolicy proposal wants in every cluster, as values. The RBAC
/// objects that let pods use them are in `rbac/builtin.hpp`. Source: the SchedulingPolicy proposal,
/// "Default SchedulingPolicies".

#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class PlatformLabels {
  current,   ///< `kubernetes.io/arch`, `kubernetes.io/os`, with values as nodes carry them: `linux`
  proposal,  ///< the proposal's letter, which no node carries: `beta.kubernetes.io/...`, `Linux`
};

[[nodiscard]] constexpr std::string_view to_string(PlatformLabels labels) noexcept {
  return labels == PlatformLabels::current ? "Current" : "Proposal";
}

/// `restricted`: only the default scheduler; no priority class, toleration, node selector or
/// affinity.
[[nodiscard]] SchedulingPolicy restricted();

/// `privileged`: all schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] SchedulingPolicy privileged();

/// `restricted-multiarch-by-node-selector`: the default scheduler, and a node selector that picks
/// one architecture of amd64 and arm64 and one operating system of Linux and Windows; amd64 and
/// Linux by default.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_node_selector(
    PlatformLabels labels = PlatformLabels::current);

/// `restricted-multiarch-by-affinity`: the same by required node affinity.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_affinity(
    PlatformLabels labels = PlatformLabels::current);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/builtin.ipp>
#endif
