// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What pods ask for and nodes have, in the integers that kube-scheduler computes with: thousandths
/// of cpu, whole units of everything else.
/// 1. A pod asks for what its containers add up to, or an init container with the sidecars (init
///    containers that are restarted Always) before it, whichever is more of each resource. What the
///    pod says as a whole (pod-level resources: cpu, memory, hugepages) counts instead. Overhead is added to both.
/// 2. Where a container requests nothing of a resource that it limits, the limit is its request. What
///    the pod limits as a whole but does not request is, of cpu and memory, what its containers
///    request, or else the pod's limit; of hugepages it is the pod's limit. The API server writes such requests into pods, and never into templates: so a
///    template asks for what its pods will ask for.
/// 3. cpu, memory, ephemeral-storage, hugepages, attachable volumes and names with a domain count.
/// 4. A pod fits a node when of each resource that it asks for more than zero of, what is
///    allocatable less what is used is enough, and when the node may hold one pod more.
/// 5. A pod that has a node takes there the most of what its spec asks for, what the node has agreed to
///    and what its containers really have, which differ while it is resized (KEP-1287). What its spec
///    asks for does not count while the node says that it cannot be done (`Infeasible`).
///
/// What keeps a pod from all nodes is put into one message as kube-scheduler does.
///
/// Sums saturate at the bounds of int64. Sources: component-helpers `resource.PodRequests`,
/// `SetDefaults_Pod`, `DefaultPodLevelResources`, the NodeResourcesFit filter.

#include <schedpol/core/node.hpp>

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

/// The exact sums of rules 1 and 2, of names that do not count too.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec);

/// The exact sums of rule 5, of a pod that has a node.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec, const PodStatus& status);

/// The same in integers, rounded up, of the names that count by rule 3; below zero is 0, and `pods` is 1.
[[nodiscard]] Resources requests(const PodSpec& spec);
[[nodiscard]] Resources requests(const PodSpec& spec, const PodStatus& status);

/// What pods may use of a node, and how many of them there may be.
[[nodiscard]] Resources allocatable(const Node& node);

/// Whether what is asked for fits what is allocatable, where so much of it is used.
[[nodiscard]] bool fits(const Resources& requests, const Resources& allocatable,
                        const Resources& used) noexcept;

/// Which of it is not left, as kube-scheduler says it: `Too many pods`, `Insufficient cpu`,
/// `Insufficient nvidia.com/gpu`. None where it `fits`.
[[nodiscard]] std::vector<std::string> insufficient(const Resources& requests,
                                                    const Resources& allocatable,
                                                    const Resources& used);

/// How many nodes each reason keeps a pod from; one node may have several.
using Reasons = std::map<std::string, std::size_t, std::less<>>;

/// What kube-scheduler says of a pod that no node can take (`FitError`): `0/2000 nodes are available:
/// 1100 NodeNotInUnit, 900 UnitFull`, and a full stop. Reasons come in the byte order of what is
/// printed, numbers included; one of no node is left out.
[[nodiscard]] std::string unschedulable_message(std::size_t nodes, const Reasons& reasons);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/resources.ipp>
#endif
