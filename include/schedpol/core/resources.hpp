// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What pods request and nodes have, in the integers that kube-scheduler uses: thousandths of cpu,
/// whole units of everything else.
/// 1. For each resource, a pod requests the larger of two amounts: the sum of its containers and sidecars
///    (init containers with restartPolicy Always), or any init container with the sidecars before it. A
///    pod-level request (cpu, memory, hugepages) replaces that amount. Overhead is added to either.
/// 2. A container that limits a resource without requesting it requests its limit. A pod-level limit
///    without a request works in the same way: for hugepages the request is the limit; for cpu and memory
///    it is what the containers request, or else the limit. The API server writes these requests into
///    pods but not into templates. They count for a template, too, so it requests what its pods will.
/// 3. cpu, memory, ephemeral-storage, hugepages, attachable volumes and names with a domain count.
/// 4. A pod fits a node if the node may hold one more pod and, for each resource of which the pod requests
///    more than zero, the allocatable amount minus the used amount is enough.
/// 5. While a pod on a node is resized (KEP-1287), three amounts differ: what its spec requests, what the
///    node has granted, and what its containers have. The largest counts. The spec does not count while
///    the node reports the resize as `Infeasible`.
///
/// Sums saturate at the bounds of int64. Sources: component-helpers `resource.PodRequests`,
/// `SetDefaults_Pod`, `DefaultPodLevelResources`, the NodeResourcesFit filter.

#include <schedpol/core/node.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Amounts of resources. A missing resource is zero.
struct Resources {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t pods = 0;                                      ///< the number of pods
  std::map<std::string, std::int64_t, std::less<>> scalar{};  ///< all others of rule 3, by name

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);

  friend bool operator==(const Resources&, const Resources&) = default;
};

/// The exact sums of rules 1 and 2, including resources that do not count by rule 3.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec);

/// The exact sums of rule 5, for a pod on a node.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec, const PodStatus& status);

/// The same in integers, rounded up. Only what counts by rule 3; negative amounts are 0, `pods` is 1.
[[nodiscard]] Resources requests(const PodSpec& spec);
[[nodiscard]] Resources requests(const PodSpec& spec, const PodStatus& status);

/// What pods may use of a node, and how many pods it may hold.
[[nodiscard]] Resources allocatable(const Node& node);

/// Rule 4: whether `requests` fit into `allocatable` besides what is `used`.
[[nodiscard]] bool fits(const Resources& requests, const Resources& allocatable,
                        const Resources& used) noexcept;

/// What is short, in kube-scheduler's words: `Too many pods`, `Insufficient cpu`,
/// `Insufficient nvidia.com/gpu`. Empty if the requests fit.
[[nodiscard]] std::vector<std::string> insufficient(const Resources& requests,
                                                    const Resources& allocatable,
                                                    const Resources& used);

/// The number of nodes that each reason keeps a pod from. A node may have several reasons.
using Reasons = std::map<std::string, std::size_t, std::less<>>;

/// kube-scheduler's message for a pod that no node can take (`FitError`): `0/2000 nodes are available:
/// 1100 NodeNotInUnit, 900 UnitFull`, with a full stop. Reasons are in the byte order of their printed
/// form, numbers included. A reason with no nodes is left out.
[[nodiscard]] std::string unschedulable_message(std::size_t nodes, const Reasons& reasons);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/resources.ipp>
#endif
