// SPDX-License-Identifier: Apache-2.0
#pragma once

// Units of a ResourcePolicy, and pods that count in them.

#include <schedpol/cluster/cluster.hpp>

#include "../resource_policy/clusters.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace units {

inline Pod terminating(Pod pod) {
  pod.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
  return pod;
}
inline Pod in_phase(std::string phase, Pod pod) {
  pod.status.phase = std::move(phase);
  return pod;
}

/// What the filter says of a node, for a pod that is looked at now.
inline std::string filtered(const Cluster& cluster, const Pod& pod, std::string_view node) {
  return said(cluster.prefilter(pod).filter(node));
}

inline const std::vector<Node> two_pools = {
    node("a-1", {{"pool", "a"}}), node("a-2", {{"pool", "a"}}), node("b-1", {{"pool", "b"}}),
    node("c-1", {{"pool", "c"}})};
inline const Unit pool_a = {.name = "a", .node_selector = pair("pool", "a")};
inline const Unit pool_b = {.name = "b", .node_selector = pair("pool", "b")};

inline Unit with_max(Unit unit, std::int32_t max_count) {
  unit.max_count = max_count;
  return unit;
}
inline Unit with_priority(Unit unit, std::int32_t priority) {
  unit.priority = priority;
  return unit;
}

inline const std::string denied = "UnschedulableAndUnresolvable";

inline NodeSet numbers_of(const Cluster& cluster, const Strings& names) {
  NodeSet numbers;
  for (const std::string& name : names) numbers.insert(*cluster.nodes().find(name));
  return numbers;
}

}  // namespace units
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
