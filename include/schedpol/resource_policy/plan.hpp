// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the replicas of a workload would go one after another under its ResourcePolicy, and in
/// which order they would be scaled down again. Only the policy decides: capacity, taints and
/// affinities are left to whoever asks.

#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/counter.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace schedpol::resource_policy {

/// Where one replica goes. Without `success` it goes nowhere: `UnitFull` where room in a full unit
/// would have helped, otherwise why no node is fit.
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
/// score, of equals to the one that has the fewest of them, then the first. Scaled down are those
/// of the lowest deletion cost first, of equals the latest.
[[nodiscard]] inline Plan plan(Counter cluster, std::span<const Node> nodes, Pod pod,
                               std::size_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  std::unordered_map<std::string, std::size_t> placed_on;
  for (std::size_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement& placement = result.placements.emplace_back();
    placement.pod = pod.metadata.name;
    const Prefilter before = cluster.prefilter(pod);
    placement.reason = before.reason;
    std::optional<std::int64_t> best;  // score
    std::size_t fewest = 0;            // replicas on the node of that score
    for (const Node& node : nodes) {
      const Filter filter = cluster.filter(before, node.metadata.name);
      if (filter.code != Code::success) {
        if (!best && placement.reason != Reason::unit_full) {
          placement.code = filter.code;
          placement.reason = filter.reason;
        }
        continue;
      }
      const std::int64_t score = cluster.score(before, filter);
      const std::size_t placed = placed_on[node.metadata.name];
      if (best && (score < *best || (score == *best && placed >= fewest))) continue;
      best = score;
      fewest = placed;
      placement.code = Code::success;
      placement.reason = Reason::none;
      placement.node = node.metadata.name;
      placement.unit = filter.unit;
    }
    if (!best) continue;
    cluster.bind(pod, placement.node);
    ++placed_on[placement.node];
    placement.deletion_cost =
        cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
  }
  const std::vector<Placement>& placements = result.placements;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (!placements[i].node.empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::int32_t cost_a = placements[a].deletion_cost;
    const std::int32_t cost_b = placements[b].deletion_cost;
    return cost_a != cost_b ? cost_a < cost_b : a > b;
  });
  for (const std::size_t i : order) result.scale_down.push_back(placements[i].pod);
  return result;
}

}  // namespace schedpol::resource_policy
