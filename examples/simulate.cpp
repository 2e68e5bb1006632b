// SPDX-License-Identifier: Apache-2.0
// Simulates a ResourcePolicy over a business day: static nodes first, spot at the peak, spot
// deleted first.

#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/plan.hpp>

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace schedpol;
using namespace schedpol::resource_policy;

const std::vector<ResourcePolicy> policies = {
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

const std::vector<Node> nodes = {{.metadata = {.name = "static-1", .labels = {{"pool", "static"}}}},
                                 {.metadata = {.name = "static-2", .labels = {{"pool", "static"}}}},
                                 {.metadata = {.name = "spot-1", .labels = {{"pool", "spot"}}}},
                                 {.metadata = {.name = "gpu-1", .labels = {{"pool", "gpu"}}}}};

const Pod replica = {
    .metadata = {.name = "shop", .namespace_ = "shop", .labels = {{"app", "shop"}}}};

void print(const Placement& placement) {
  std::cout << std::setw(8) << placement.pod;
  if (placement.code != Code::success) {
    std::cout << "nowhere: " << to_string(placement.reason) << '\n';
    return;
  }
  const std::vector<Unit>& units = policies.front().spec.units;
  std::cout << std::setw(10) << placement.node << std::setw(8)
            << (placement.unit ? units[*placement.unit].name : "none") << placement.deletion_cost
            << '\n';
}

int main() {
  const auto compiled = compile(policies);
  if (!compiled) {
    for (const FieldError& error : compiled.errors()) std::cerr << message(error) << '\n';
    return 1;
  }
  const Cluster cluster(*compiled, nodes, {});  // where no pod runs yet
  const Plan day = plan(cluster, nodes, replica, 8);

  std::cout << std::left << std::setw(8) << "pod" << std::setw(10) << "node" << std::setw(8)
            << "unit"
            << "deletion cost\n";
  for (const Placement& placement : day.placements) print(placement);
  std::cout << "scaled down in this order:";
  for (const std::string& name : day.scale_down) std::cout << ' ' << name;
  std::cout << '\n';
}
