// SPDX-License-Identifier: Apache-2.0
// One turn of a scheduling loop over a cluster with many pods, for flat_test.py, which counts the
// instructions of `measured` alone.
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/compile.hpp>

#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>
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

extern "C" [[gnu::noinline]] bool measured(Cluster& cluster, const Pod& pod, bool binds) {
  const bool success = cluster.prefilter(pod).filter("node-7").code == Code::success;
  if (!binds) return success;
  cluster.bind(pod, "node-7");
  cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
  return success;
}

// flat CASE PODS; says whether the node takes the pod.
int main(int, char** arguments) {
  Cluster cluster(policies(), nodes_with_pools(), pods_of(std::stoul(arguments[2])));
  Pod pod;
  pod.metadata = {.name = "incoming", .namespace_ = "shop"};
  pod.metadata.labels = {{"app", "web"}};
  const bool binds = std::string_view(arguments[1]) == "filter, bind and unbind";
  std::cout << (measured(cluster, pod, binds) ? "allowed\n" : "denied\n");
}
