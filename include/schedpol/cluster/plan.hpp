// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the replicas of a workload would go one after another under its ResourcePolicy, and in
/// which order they would be scaled down again. Only the policy decides: capacity, taints and
/// affinities are left to the caller.

#include <schedpol/cluster/cluster.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Where one replica goes. Without `success` it goes nowhere: `UnitFull` or `UnitResourcesExceeded`,
/// as the first such node says, where room in a unit would have helped, otherwise why no node is fit.
struct Placement {
  std::string pod{};
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string node{};
  std::optional<std::size_t> unit{};  ///< absent outside all units
  std::int32_t deletion_cost = 0;

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements{};
  std::vector<std::string> scale_down{};  ///< placed replicas, the first to be deleted first

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Plans `replicas` of a pod, named after it with `-0`, `-1`, ..., on the nodes of `cluster`, which
/// is taken by value: the plan binds them there. Each goes to the feasible node of the highest
/// score, of equals to that with the fewest of them, then the first; a node listed twice is one.
/// The lowest deletion cost is scaled down first, of equals the latest. Fewer than none are none.
[[nodiscard]] Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                        std::int32_t replicas);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/plan.ipp>
#endif
