// SPDX-License-Identifier: Apache-2.0
// One turn of a scheduling loop over a cluster with many pods.
#include "../flat/flat.hpp"

#include <schedpol/cluster/cluster.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/compile.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace schedpol;
using namespace schedpol::resource_policy;

constexpr std::size_t node_count = 50;

std::vector<Node> nodes_with_pools() {
  std::vector<Node> nodes(node_count);
  for (std::size_t i = 0; i < node_count; ++i) {
    nodes[i].metadata.name = "node-" + std::to_string(i);
    nodes[i].metadata.labels = {{"pool", i % 2 == 0 ? "static" : "spot"}};
  }
  return nodes;
}

std::vector<Pod> pods_of(std::size_t count) {
  std::vector<Pod> pods(count);
  for (std::size_t i = 0; i < count; ++i) {
    pods[i].metadata = {.name = "pod-" + std::to_string(i), .namespace_ = "shop"};
    pods[i].metadata.labels = {{"app", "web"}};
    pods[i].spec.node_name = "node-" + std::to_string(i % node_count);
  }
  return pods;
}

CompiledPolicies policies() {
  const std::vector<ResourcePolicy> listed = {
      {.metadata = {.name = "web", .namespace_ = "shop"},
       .spec = {.pod_selector = {{.match_labels = {{"app", "web"}}}},
                .units = {{.max_count = 1000000,
                           .node_selector = {{.match_labels = {{"pool", "static"}}}}},
                          {.node_selector = {{.match_labels = {{"pool", "spot"}}}}}}}}};
  return *compile(listed);
}

}  // namespace

namespace schedpol::testing {

Flat flat_turn(const std::string& name, std::size_t count) {
  Cluster cluster(policies(), nodes_with_pools(), pods_of(count));
  Pod pod;
  pod.metadata = {.name = "incoming", .namespace_ = "shop"};
  pod.metadata.labels = {{"app", "web"}};
  const bool binds = name == "filter, bind and unbind";
  return [cluster = std::move(cluster), pod, binds]() mutable {
    const bool success = cluster.prefilter(pod).filter("node-7").code == Code::success;
    if (!binds) return success;
    cluster.bind(pod, "node-7");
    cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
    return success;
  };
}

}  // namespace schedpol::testing
