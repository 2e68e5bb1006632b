// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pods that are shown, assumed and bound.

#include <schedpol/cluster/assume_cache.hpp>

#include "../resource_policy/clusters.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace assumed_pods {

inline const Unit pool_a = {.name = "a", .max_count = 3, .node_selector = pair("pool", "a")};
inline const Unit pool_b = {.name = "b", .max_count = 3, .node_selector = pair("pool", "b")};
inline const ResourcePolicy web =
    policy("web", {.pod_selector = pair("app", "web"), .units = {pool_a, pool_b}});

inline Pod seen(std::string name, std::string uid, std::string on = "",
                std::string nominated = "") {
  Pod shown = pod(std::move(name), {{"app", "web"}}, std::move(on));
  shown.metadata.uid = std::move(uid);
  shown.status.nominated_node_name = std::move(nominated);
  return shown;
}

inline Pod terminal(Pod pod) {
  pod.status.phase = "Failed";
  return pod;
}

inline NodeSet numbers(const AssumeCache& state, const Strings& nodes) {
  NodeSet numbers;
  for (const std::string& name : nodes) {
    const auto number = state.cluster().nodes().find(name);
    REQUIRE(number.has_value());
    numbers.insert(*number);
  }
  return numbers;
}

/// What the scheduler was told of a pod.
inline Assumption told(const AssumeCache& state, const Pod& pod, const Strings& nodes,
                       const Strings& refused = {}) {
  return {pod, numbers(state, nodes), numbers(state, refused), refused.empty() ? "" : "it is full"};
}

inline AssumeCache two_pools(const Policies& policies = {web}) {
  AssumeCache state;
  state.observe_node(node("a-1", {{"pool", "a"}}));
  state.observe_node(node("b-1", {{"pool", "b"}}));
  state.observe_node(node("c-1", {}));
  CHECK(state.set_policies(policies).empty());
  return state;
}

}  // namespace assumed_pods
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
