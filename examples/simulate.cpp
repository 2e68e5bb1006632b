// SPDX-License-Identifier: Apache-2.0
// Simulates a ResourcePolicy over a business day: static nodes first, spot at the peak, spot
// deleted first.

#include <schedpol/schedpol.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

using namespace schedpol;
using resource_policy::Placement;

int main() {
  const std::vector<resource_policy::ResourcePolicy> policies = {
      {.metadata = {.name = "shop", .namespace_ = "shop"},
       .spec = {.pod_selector = {{.match_labels = {{"app", "shop"}}}},
                .units = {{.name = "static",
                           .priority = 5,
                           .max_count = 3,
                           .node_selector = {{.match_labels = {{"pool", "static"}}}}},
                          {.name = "spot",
                           .priority = 1,
                           .max_count = 4,
                           .node_selector = {{.match_labels = {{"pool", "spot"}}}}}}}}};
  const std::vector<Node> nodes = {
      {.metadata = {.name = "static-1", .labels = {{"pool", "static"}}}},
      {.metadata = {.name = "static-2", .labels = {{"pool", "static"}}}},
      {.metadata = {.name = "spot-1", .labels = {{"pool", "spot"}}}},
      {.metadata = {.name = "gpu-1", .labels = {{"pool", "gpu"}}}}};

  const auto compiled = resource_policy::compile(policies);
  if (!compiled) {
    for (const FieldError& error : compiled.errors()) std::cerr << message(error) << '\n';
    return 1;
  }
  const Pod pod = {.metadata = {.name = "shop", .namespace_ = "shop", .labels = {{"app", "shop"}}}};
  const auto plan =
      resource_policy::plan(resource_policy::Counter(*compiled, nodes, {}), nodes, pod, 8);

  const auto column = [](std::string text, std::size_t width) {
    text.resize(std::max(text.size(), width), ' ');
    return text;
  };
  std::cout << column("pod", 8) << column("node", 10) << column("unit", 8) << "deletion cost\n";
  for (const Placement& placement : plan.placements) {
    std::cout << column(placement.pod, 8);
    if (placement.code != resource_policy::Code::success) {
      std::cout << "nowhere: " << to_string(placement.reason) << '\n';
      continue;
    }
    const auto& units = policies.front().spec.units;
    std::cout << column(placement.node, 10)
              << column(placement.unit ? units[*placement.unit].name : "none", 8)
              << placement.deletion_cost << '\n';
  }
  std::cout << "scaled down in this order:";
  for (const std::string& name : plan.scale_down) std::cout << ' ' << name;
  std::cout << '\n';
}
