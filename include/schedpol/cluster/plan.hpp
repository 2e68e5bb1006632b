// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the replicas of a workload would go, one after another, under its ResourcePolicy, and in
/// which order they would be scaled down again.
///
/// 1. A replica can go to a node that both kube-scheduler's filters (`BoundPods::filter`) and the policy
///    (`Prefilter::filter`) leave. A replica with scheduling gates waits. Without BoundPods, only the policy
///    decides; the caller has to check capacity, taints and affinities.
/// 2. Among these nodes, the highest score by the policy wins. Ties are broken by the sum of kube-scheduler's
///    other scores with their default weights: tolerated PreferNoSchedule taints (3), preferred node
///    affinity (2), preferred pod affinity (2), free cpu and memory (1). Further ties go to the node with
///    the fewest replicas, then to the first. kube-scheduler itself has more scores (spreading, balance,
///    images), adds the policy's score to the others, and picks at random among equals.
/// 3. A DaemonSet has one replica on each node that its controller picks: the node has the labels and the
///    name that the pod asks for, and the pod tolerates its taints with what the controller adds.
/// 4. Running pods stay. A StatefulSet's pod for an ordinal, and a DaemonSet's pod on a node, already is
///    that replica. If a pod of another owner has the name for an ordinal, the StatefulSet gets no replica
///    with that ordinal. Replicas of other kinds are new, besides the pods that they have, and do not take
///    the name of a bound pod.
/// 5. Scaling down deletes the lowest deletion cost first, among equal ones the latest; for a StatefulSet
///    the highest ordinal first; for a DaemonSet, Job or CronJob nothing.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/cluster.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Where one replica goes. If `code` is not `success`, it goes nowhere. If room in a unit would have
/// helped, `reason` is that of the first such node, `UnitFull` or `UnitResourcesExceeded`. Otherwise it is
/// the policy's reason why no node is feasible.
struct Placement {
  std::string pod{};
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string node{};
  std::optional<std::size_t> unit{};  ///< absent if the node is in no unit
  std::int32_t deletion_cost = 0;
  std::string
      message{};  ///< why it goes nowhere, in kube-scheduler's words; empty if only the policy decides

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements{};
  std::vector<std::string> scale_down{};  ///< placed replicas, in the order of deletion

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Plans `replicas` of a pod by the policy alone. Their names are the pod's with `-0`, `-1`, ... The plan
/// binds them in its own copy of `cluster`. A node listed twice counts once; a negative number of replicas is
/// zero. A pod of the cluster with the name of a replica is that replica and is placed again.
[[nodiscard]] Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                        std::int32_t replicas);

/// Plans by all of these rules, besides the pods that are bound in `cluster` and `pods`. The nodes are those of
/// `pods`; a node that `cluster` does not have is in no unit. `running` has the owners of the bound pods (rule
/// 4); a pod that is not in it does not belong to the workload. A DaemonSet ignores `replicas`. Errors are
/// about the pod's terms, constraints or name.
[[nodiscard]] Result<Plan> plan(Cluster cluster, BoundPods pods, Pod pod, std::int32_t replicas,
                                std::span<const Pod> running = {});

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/plan.ipp>
#endif
