// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/cluster/plan.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <set>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Where the next replica goes, when so many are on each of the nodes already; it is counted there.
inline Placement place(const Cluster& cluster, const std::vector<const Node*>& nodes,
                       const Pod& pod, std::vector<std::size_t>& replicas) {
  const Prefilter prefilter = cluster.prefilter(pod);
  Placement placement;
  placement.pod = pod.metadata.name;
  placement.reason = prefilter.reason();
  std::optional<std::int64_t> best;  // score
  std::size_t on = 0;                // the number of the node of that score
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Filter filter = prefilter.filter(nodes[i]->metadata.name);
    if (filter.code != Code::success) {
      if (!best && placement.code != Code::unschedulable) {
        placement.code = filter.code;
        placement.reason = filter.reason;
      }
      continue;
    }
    const std::int64_t score = prefilter.score(filter);
    if (best && (score < *best || (score == *best && replicas[i] >= replicas[on]))) continue;
    best = score;
    on = i;
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = nodes[i]->metadata.name;
    placement.unit = filter.unit;
  }
  if (best) ++replicas[on];
  return placement;
}

/// The placed replicas of the lowest deletion cost first, of equals the latest.
inline std::vector<std::string> scale_down_order(const std::vector<Placement>& placements) {
  std::vector<const Placement*> placed;
  for (const Placement& placement : placements)
    if (!placement.node.empty()) placed.push_back(&placement);
  std::sort(placed.begin(), placed.end(), [](const Placement* a, const Placement* b) {
    return a->deletion_cost != b->deletion_cost ? a->deletion_cost < b->deletion_cost : a > b;
  });
  std::vector<std::string> names;
  for (const Placement* placement : placed) names.push_back(placement->pod);
  return names;
}

}  // namespace detail

SCHEDPOL_INLINE Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                          std::int32_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  std::set<std::string_view> names;
  std::vector<const Node*> distinct;
  for (const Node& node : nodes)
    if (names.insert(node.metadata.name).second) distinct.push_back(&node);
  std::vector<std::size_t> on_node(distinct.size());
  for (std::int32_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement placement = detail::place(cluster, distinct, pod, on_node);
    if (placement.code == Code::success) {
      cluster.bind(pod, placement.node);
      placement.deletion_cost =
          cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
    }
    result.placements.push_back(std::move(placement));
  }
  result.scale_down = detail::scale_down_order(result.placements);
  return result;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
