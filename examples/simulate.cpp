// SPDX-License-Identifier: Apache-2.0
// Simulates a ResourcePolicy over a business day on 2,000 nodes: static nodes first, spot at the
// peak, spot deleted first; in the afternoon 400 spot nodes are taken away.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/node_scores.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/resource_policy/compile.hpp>

#include <algorithm>
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
                         .max_count = 1200,
                         .node_selector = {{.match_labels = {{"pool", "static"}}}}},
                        {.name = "spot",
                         .priority = 1,
                         .max_count = 1600,
                         .node_selector = {{.match_labels = {{"pool", "spot"}}}}}}}}};

ResourceList amounts(const char* cpu, const char* pods) {
  return {{"cpu", *Quantity::parse(cpu)}, {"pods", *Quantity::parse(pods)}};
}

std::vector<Node> nodes() {
  std::vector<Node> nodes;
  for (int i = 0; i < 2000; ++i) {
    const std::string pool = i < 600 ? "static" : i < 1900 ? "spot" : "gpu";
    Node& node = nodes.emplace_back();
    node.metadata = {.name = pool + "-" + std::to_string(i), .labels = {{"pool", pool}}};
    node.status.allocatable = amounts("3920m", "110");
    if (pool == "spot") node.spec.taints = {{"spot", "", TaintEffect::no_schedule}};
  }
  return nodes;
}

Pod replica(std::size_t number) {
  Pod pod{.metadata = {.name = "shop-" + std::to_string(number),
                       .namespace_ = "shop",
                       .labels = {{"app", "shop"}}}};
  pod.spec.tolerations = {{.key = "spot", .operator_ = TolerationOperator::exists}};
  pod.spec.containers = {{.resources = {.requests = amounts("900m", "1")}}};
  return pod;
}

struct Running {
  Pod pod;
  std::string node;
  std::int32_t deletion_cost;
};

class Day {
 public:
  explicit Day(const CompiledPolicies& compiled) : cluster_(compiled, all_, {}), pods_(all_) {}

  // Brings the replicas to a number; those of the lowest deletion cost go first, of equals the
  // latest.
  void scale_to(std::size_t replicas) {
    std::stable_sort(running_.begin(), running_.end(), [](const Running& a, const Running& b) {
      return a.deletion_cost > b.deletion_cost;
    });
    for (; running_.size() > replicas; running_.pop_back()) leave(running_.back());
    while (running_.size() < replicas && place(replica(next_++))) {
    }
  }

  // The node is gone, and its pods with it.
  void take_away(const std::string& node) {
    for (const Running& running : running_)
      if (running.node == node) leave(running);
    std::erase_if(running_, [&](const Running& running) { return running.node == node; });
    cluster_.remove_node(node);
    pods_.remove_node(node);
  }

  void print(int hour) const {
    const std::vector<std::int64_t> counts = cluster_.prefilter(replica(next_)).counts();
    const std::string bar = std::string(counts[0] / 50, '#') + std::string(counts[1] / 50, '+');
    std::cout << std::setw(2) << hour << ":00 " << std::left << std::setw(58) << bar << std::right
              << counts[0] << " static, " << counts[1] << " spot\n";
  }

  const std::vector<Node>& nodes() const { return all_; }

 private:
  // On a node that the policy prefers of those with room; says why not where there is none.
  bool place(const Pod& pod) {
    const Prefilter prefilter = cluster_.prefilter(pod);
    const auto fit = pods_.fit(pod);
    if (!fit) return false;
    const NodeSet allowed =
        prefilter.feasible() & cluster_.nodes().tolerated_by(pod.spec.tolerations);
    const NodeSet feasible = allowed & fit->feasible;
    const auto node = choose(prefilter.scores(feasible), feasible, next_);
    if (!node) {
      const Reasons reasons = {
          {"UnitFull", prefilter.infeasible(Reason::unit_full).size()},
          {"UnitResourcesExceeded", prefilter.infeasible(Reason::unit_resources_exceeded).size()},
          {"NodeNotInUnit", prefilter.infeasible(Reason::node_not_in_unit).size()},
          {"Insufficient cpu", (allowed & fit->insufficient_resources).size()}};
      std::cout << pod.metadata.name << ": "
                << unschedulable_message(cluster_.nodes().nodes().size(), reasons) << '\n';
      return false;
    }
    const std::string name(cluster_.nodes().name(*node));
    if (!pods_.bind(pod, name).empty()) return false;
    cluster_.bind(pod, name);
    running_.push_back({pod, name, *cluster_.deletion_cost("shop", pod.metadata.name)});
    return true;
  }

  void leave(const Running& running) {
    cluster_.unbind("shop", running.pod.metadata.name);
    pods_.unbind("shop", running.pod.metadata.name);
  }

  std::vector<Node> all_ = ::nodes();
  Cluster cluster_;
  BoundPods pods_;
  std::vector<Running> running_;
  std::size_t next_ = 0;
};

int main() {
  constexpr std::size_t hundreds[] = {3,  2,  2,  2,  3,  4,  7,  11, 15, 19, 22, 25,
                                      29, 26, 24, 22, 20, 18, 15, 12, 9,  7,  5,  4};
  const auto compiled = compile(policies);
  if (!compiled) return 1;
  Day day(*compiled);
  for (int hour = 0; hour < 24; ++hour) {
    if (hour == 15)
      for (std::size_t node = 600; node < 1000; ++node)
        day.take_away(day.nodes()[node].metadata.name);
    day.scale_to(100 * hundreds[hour]);
    day.print(hour);
  }
}
