// SPDX-License-Identifier: Apache-2.0
// A unit of 2 CPUs: replicas go to static nodes as long as they request no more together, then to
// spot. The template has a limit alone, which is the request of its pods.

#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/plan.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/compile.hpp>

#include <iostream>
#include <vector>

using namespace schedpol;
using namespace schedpol::resource_policy;

int main() {
  const std::vector<ResourcePolicy> policies = {
      {.metadata = {.name = "web", .namespace_ = "shop"},
       .spec = {
           .units = {{.name = "static",
                      .priority = 5,
                      .max_resources = {{"cpu", *Quantity::parse("2")}},
                      .node_selector = {{.match_labels = {{"pool", "static"}}}}},
                     {.name = "spot", .node_selector = {{.match_labels = {{"pool", "spot"}}}}}}}}};
  const std::vector<Node> nodes = {
      {.metadata = {.name = "static-1", .labels = {{"pool", "static"}}}},
      {.metadata = {.name = "static-2", .labels = {{"pool", "static"}}}},
      {.metadata = {.name = "spot-1", .labels = {{"pool", "spot"}}}}};
  Pod pod{.metadata = {.name = "web", .namespace_ = "shop"}};
  pod.spec.containers = {{.resources = {.limits = {{"cpu", *Quantity::parse("750m")}}}}};
  const auto compiled = compile(policies);
  if (!compiled) return 1;
  Cluster cluster(*compiled, nodes, {});
  for (const Placement& placement : plan(cluster, nodes, pod, 3).placements) {
    std::cout << placement.pod << " goes to " << placement.node << '\n';
    Pod placed = pod;
    placed.metadata.name = placement.pod;
    cluster.bind(placed, placement.node);
  }
  std::cout << cluster.prefilter(pod).message("static-1") << '\n';
}
