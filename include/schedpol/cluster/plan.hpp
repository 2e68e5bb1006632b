// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the replicas of a workload would go one after another under its ResourcePolicy, and in
/// which order they would be scaled down again.
///
/// 1. A replica can go to a node that kube-scheduler's filters (`BoundPods::filter`) and the policy
///    (`Prefilter::filter`) leave; one that has scheduling gates waits. Without BoundPods only the policy
///    decides: capacity, taints and affinities are left to the caller.
/// 2. Of those it goes to one of the policy's highest score; of equals to one of the highest score by what
///    kube-scheduler scores besides with its default weights: tolerated PreferNoSchedule taints (3), preferred node
///    affinity (2), preferred pod affinity (2), what is left of cpu and memory (1); of equals to that
///    with the fewest replicas, then the first. kube-scheduler scores more (spreading, balance, images), adds the
///    policy's score to the rest, and draws lots between equals.
/// 3. A DaemonSet has one replica on each node that its controller picks. The node has the labels and the
///    name that the pod asks for, and no taint that it does not tolerate with what the controller adds.
/// 4. What runs stays. The pod that a StatefulSet has for an ordinal, or a DaemonSet on a node, is that
///    replica already. Where a pod of somebody else has the name of an ordinal, the StatefulSet gets no
///    replica for it. The replicas of all other kinds are new ones, beside the pods that they have, and take
///    no name that a bound pod has.
/// 5. Scaled down is first what has the lowest deletion cost, of equals the latest; of a StatefulSet
///    the highest ordinal; of a DaemonSet, a Job or a CronJob nothing.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/cluster.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Where one replica goes. Without `success` it goes nowhere: `UnitFull` or `UnitResourcesExceeded`,
/// as the first such node says, where room in a unit would have helped, otherwise why no node is fit, as far as
/// the policy decides it.
struct Placement {
  std::string pod{};
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string node{};
  std::optional<std::size_t> unit{};  ///< absent outside all units
  std::int32_t deletion_cost = 0;
  std::string
      message{};  ///< why it goes nowhere, as kube-scheduler says it; empty where only the policy decides

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements{};
  std::vector<std::string> scale_down{};  ///< placed replicas, the first to be deleted first

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Plans `replicas` of a pod by the policy alone, named after it with `-0`, `-1`, ..., on the nodes of
/// `cluster`, which is taken by value: the plan binds them there. A node listed twice is one. Fewer than
/// none are none. A pod of the cluster that has the name of a replica is that replica, and placed anew.
[[nodiscard]] Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                        std::int32_t replicas);

/// The same by all the rules above, beside the pods that are bound in both. The nodes are those of `pods`; one that
/// `cluster` does not have is in no unit. `running` tells whose the bound pods are (rule 4); one that is not among
/// them is not the workload's. Of a DaemonSet `replicas` are not looked at. An error is what is wrong with the pod's
/// terms and constraints, or its name.
[[nodiscard]] Result<Plan> plan(Cluster cluster, BoundPods pods, Pod pod, std::int32_t replicas,
                                std::span<const Pod> running = {});

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/plan.ipp>
#endif
