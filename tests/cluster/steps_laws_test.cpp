// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/core/resources.hpp>

#include "plain_cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cluster_steps_laws_test {

using namespace plain_cluster;

using schedpol::testing::at_least;

/// All answers about some pods and all nodes and bound pods, as one list.
std::vector<std::string> answers(const Cluster& cluster, const World& world,
                                 const std::vector<Pod>& probes) {
  std::vector<std::string> answers;
  for (const Pod& pod : probes) {
    const Prefilter before = cluster.prefilter(pod);
    answers.push_back(text(before));
    for (const Node& node : world.nodes) {
      answers.push_back(text(before.filter(node.metadata.name)));
    }
  }
  for (const Pod& pod : world.pods) {
    const auto cost = cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    answers.push_back(cost ? std::to_string(*cost) : "none");
  }
  return answers;
}

TEST_CASE("a cluster changed step by step answers as one made of what is there") {
  Generator generate(7);
  std::map<std::string, int> done;
  for (int i = 0; i < tries(400); ++i) {
    CAPTURE(i);
    World world = generate.world();
    if (i % 10 == 0) world = with_many_units(std::move(world));
    const std::vector<Node> nodes = world.nodes;
    Cluster cluster = cluster_of(world, world.pods);
    for (int step = 0; step < 20; ++step) {
      const std::size_t what = generate.below(4);
      Node node = generate.pick(nodes);
      const auto there = std::find_if(
          world.nodes.begin(), world.nodes.end(),
          [&](const Node& other) { return other.metadata.name == node.metadata.name; });
      if (what == 0) {
        cluster.remove_node(node.metadata.name);
        if (there != world.nodes.end()) world.nodes.erase(there);
        ++done["removed"];
      } else if (what == 1) {
        node.metadata.labels = generate.labels({"pool", "zone"});
        cluster.add_node(node);
        ++done[there == world.nodes.end() ? "added" : "relabelled"];
        if (there == world.nodes.end()) {
          world.nodes.push_back(node);
        } else {
          *there = node;
        }
      } else if (what == 2 && !world.pods.empty()) {
        const std::size_t victim = generate.below(world.pods.size());
        const Pod& pod = world.pods[victim];
        cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
        world.pods.erase(world.pods.begin() + static_cast<std::ptrdiff_t>(victim));
      } else {
        Pod pod = generate.pod("pod-" + std::to_string(generate.below(30)));
        pod.spec.node_name = generate.pick(nodes).metadata.name;  // which may not be there
        std::erase_if(world.pods, [&](const Pod& other) { return same_pod(pod, other); });
        world.pods.push_back(pod);
        cluster.bind(pod, pod.spec.node_name);
        ++done[node_of(world, pod.spec.node_name) == nullptr ? "bound to no node" : "bound"];
      }
      if (generate.one_in(5)) cluster = Cluster(cluster);
    }
    const Cluster made = cluster_of(world, world.pods);
    const std::vector<Pod> probes = generate.probes(world);
    CHECK(answers(cluster, world, probes) == answers(made, world, probes));
    const auto feasible = [&](const Cluster& of, const Pod& pod) {
      std::vector<std::string> names;
      for (const std::size_t number : of.prefilter(pod).feasible())
        names.emplace_back(of.nodes().name(number));
      std::sort(names.begin(), names.end());
      return names;
    };
    for (const Pod& pod : probes) CHECK(feasible(cluster, pod) == feasible(made, pod));
  }
  for (const std::string kind : {"removed", "added", "relabelled", "bound to no node", "bound"}) {
    CAPTURE(kind);
    CHECK(done[kind] > tries(400));
  }
}

TEST_CASE("no sequence of filter and bind exceeds a maximum") {
  Generator generate(2);
  int refused = 0;
  int refused_requests = 0;
  int resources_with_maximum = 0;
  int resources_used_up = 0;
  int bound = 0;
  int units_full = 0;
  int units_with_maximum = 0;
  for (int i = 0; i < tries(1200); ++i) {
    CAPTURE(i);
    World world = generate.world();
    for (ResourcePolicy& policy : world.policies) policy.metadata.namespace_ = "x";
    world.pods.clear();
    Cluster cluster = cluster_of(world, {});
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      if (generate.one_in(10) && !world.pods.empty()) {
        const std::size_t victim = generate.below(world.pods.size());
        cluster.unbind(world.pods[victim].metadata.namespace_, world.pods[victim].metadata.name);
        world.pods.erase(world.pods.begin() + static_cast<std::ptrdiff_t>(victim));
        continue;
      }
      Pod pod = generate.pod("pod-" + std::to_string(step));
      pod.status.phase = "Running";
      const std::string name = generate.pick(world.nodes).metadata.name;
      const Filter filter = cluster.prefilter(pod).filter(name);
      if (filter.code != Code::success) {
        refused += filter.reason == Reason::unit_full ? 1 : 0;
        refused_requests += filter.reason == Reason::unit_resources_exceeded ? 1 : 0;
        continue;
      }
      ++bound;
      cluster.bind(pod, name);
      pod.spec.node_name = name;
      world.pods.push_back(pod);

      // The pod's own unit, counted as the next pod like it would see it.
      const std::vector<std::size_t> policies = selecting(world, pod);
      if (policies.size() != 1) continue;
      const ResourcePolicy& policy = world.policies[policies[0]];
      Pod next = pod;
      next.metadata.name = "next";
      const Counts counts = recount(world, policy, next);
      const std::vector<schedpol::ResourceList> sums = requested(world, policy, next);
      const schedpol::ResourceList of_pod = pod_requests(pod.spec);
      for (const std::size_t unit : units_of(policy, *node_of(world, name))) {
        for (const auto& [resource, max] : policy.spec.units[unit].max_resources) {
          const auto request = of_pod.find(resource);
          if (request == of_pod.end() || request->second.is_zero()) continue;
          ++resources_with_maximum;
          CHECK(sums[unit].find(resource)->second <= max);
          resources_used_up += sums[unit].find(resource)->second == max ? 1 : 0;
        }
        const auto& max_count = policy.spec.units[unit].max_count;
        if (!max_count) continue;
        ++units_with_maximum;
        CHECK(counts[unit] <= *max_count);
        units_full += counts[unit] == *max_count ? 1 : 0;
      }
    }
  }
  CHECK(bound > tries(4000));
  CHECK(refused > at_least(800));
  CHECK(units_with_maximum > tries(800));
  CHECK(units_full > tries(200));
  CHECK(refused_requests > at_least(250));
  CHECK(resources_with_maximum > tries(400));
  CHECK(resources_used_up > tries(50));
}

TEST_CASE("binding and unbinding leaves every answer as it was") {
  Generator generate(3);
  int changed = 0;
  for (int i = 0; i < tries(2000); ++i) {
    CAPTURE(i);
    const World world = generate.world();
    const std::vector<Pod> probes = generate.probes(world);
    Cluster cluster = cluster_of(world, world.pods);
    const std::vector<std::string> before = answers(cluster, world, probes);
    std::vector<Pod> visitors;
    for (int j = 0; j < 3; ++j) visitors.push_back(generate.pod("visitor-" + std::to_string(j)));
    for (const Pod& pod : visitors) {
      cluster.bind(pod, generate.pick(world.nodes).metadata.name);
      if (generate.one_in(3)) cluster.bind(pod, generate.pick(world.nodes).metadata.name);
    }
    changed += answers(cluster, world, probes) != before ? 1 : 0;
    if (generate.one_in(2)) std::reverse(visitors.begin(), visitors.end());
    for (const Pod& pod : visitors) cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
    CHECK(answers(cluster, world, probes) == before);
    for (const Pod& pod : visitors) cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
    CHECK(answers(cluster, world, probes) == before);
  }
  CHECK(changed > tries(500));
}

TEST_CASE("unbinding and binding again leaves every answer as it was") {
  Generator generate(4);
  int changed = 0;
  for (int i = 0; i < tries(2000); ++i) {
    CAPTURE(i);
    const World world = generate.world();
    if (world.pods.empty()) continue;
    const std::vector<Pod> probes = generate.probes(world);
    Cluster cluster = cluster_of(world, world.pods);
    const std::vector<std::string> before = answers(cluster, world, probes);
    const Pod& pod = generate.pick(world.pods);
    cluster.unbind(pod.metadata.namespace_, pod.metadata.name);
    changed += answers(cluster, world, probes) != before ? 1 : 0;
    cluster.bind(pod, pod.spec.node_name);
    CHECK(answers(cluster, world, probes) == before);
  }
  CHECK(changed > at_least(300));
}

TEST_CASE("a cluster of a snapshot is one of an empty cluster with its pods bound one by one") {
  Generator generate(5);
  for (int i = 0; i < tries(2000); ++i) {
    CAPTURE(i);
    const World world = generate.world();
    const std::vector<Pod> probes = generate.probes(world);
    const std::vector<std::string> wanted = answers(cluster_of(world, world.pods), world, probes);
    Cluster forward = cluster_of(world, {});
    for (const Pod& pod : world.pods) forward.bind(pod, pod.spec.node_name);
    CHECK(answers(forward, world, probes) == wanted);
    Cluster backward = cluster_of(world, {});
    for (auto pod = world.pods.rbegin(); pod != world.pods.rend(); ++pod) {
      backward.bind(*pod, generate.pick(world.nodes).metadata.name);
      backward.bind(*pod, pod->spec.node_name);
    }
    CHECK(answers(backward, world, probes) == wanted);
  }
}

}  // namespace cluster_steps_laws_test
