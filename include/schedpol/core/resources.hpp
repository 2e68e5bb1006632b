// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What pods ask for and nodes have, in the integers that kube-scheduler computes with: thousandths
/// of cpu, whole units of everything else.
/// 1. A pod asks for what its containers add up to, or an init container with the sidecars (init
///    containers that are restarted Always) before it, whichever is more of each resource. What the
///    pod says as a whole (cpu, memory, hugepages) counts instead. Overhead is added to both.
/// 2. Where a container requests nothing of a resource that it limits, the limit is its request. The
///    same of the pod as a whole, but that what its containers request goes before its limit of cpu
///    and memory. The API server writes such requests into pods, and never into templates: so a
///    template asks for what its pods will ask for.
/// 3. cpu, memory, ephemeral-storage, hugepages, attachable volumes and names with a domain count.
/// 4. A pod fits a node when of each resource that it asks for more than zero of, what is
///    allocatable less what is used is enough, and when the node may hold one pod more.
///
/// Sums saturate at the bounds of int64. What a running pod was resized to, which its status says,
/// is not looked at. Sources: component-helpers `resource.PodRequests`, `SetDefaults_Pod`, the
/// NodeResourcesFit filter.

#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

/// Amounts of resources. What is not there is zero.
struct Resources {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t pods = 0;                                      ///< how many pods
  std::map<std::string, std::int64_t, std::less<>> scalar{};  ///< all others that count, by name

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);

  friend bool operator==(const Resources&, const Resources&) = default;
};

/// What a container requests by rule 2.
[[nodiscard]] ResourceList effective_requests(const ResourceRequirements& resources);

/// The exact sums of rules 1 and 2, of names that do not count too.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec);

/// The same as the integers of rule 3, itself as one of `pods` included; nothing below zero.
[[nodiscard]] Resources requests(const PodSpec& spec);

/// What pods may use of a node, and how many of them there may be.
[[nodiscard]] Resources allocatable(const Node& node);

/// A resource of which there is not enough.
struct Insufficient {
  std::string resource{};
  std::int64_t requested = 0;
  std::int64_t used = 0;
  std::int64_t allocatable = 0;

  friend bool operator==(const Insufficient&, const Insufficient&) = default;
};

/// As kube-scheduler says it: `Insufficient cpu`, `Too many pods`.
[[nodiscard]] std::string message(const Insufficient& insufficient);

/// Whether what is asked for fits what is allocatable, where so much of it is used.
[[nodiscard]] bool fits(const Resources& requests, const Resources& allocatable,
                        const Resources& used) noexcept;

/// What keeps it from fitting: pods, cpu, memory, ephemeral-storage, then the others by name.
[[nodiscard]] std::vector<Insufficient> insufficient(const Resources& requests,
                                                     const Resources& allocatable,
                                                     const Resources& used);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/resources.ipp>
#endif
