// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/core/resources.hpp>

#include "plain_cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cluster_laws_test {

using namespace plain_cluster;

using schedpol::NodeSet;

/// Whether a pod, with what is requested already, exceeds the maximum of a unit.
bool exceeds(const Unit& unit, schedpol::ResourceList requested, const Pod& pod) {
  const schedpol::ResourceList of_pod = pod_requests(pod.spec);
  return std::any_of(of_pod.begin(), of_pod.end(), [&](const auto& request) {
    const auto& [name, quantity] = request;
    const auto max = unit.max_resources.find(name);
    return max != unit.max_resources.end() && !quantity.is_zero() &&
           requested[name] + quantity > max->second;
  });
}

/// What rules 1 and 2 say.
std::string wanted_prefilter(const World& world, const Pod& pod) {
  const std::vector<std::size_t> policies = selecting(world, pod);
  if (policies.empty()) return text(Code::skip, Reason::none, "", {}, {});
  if (policies.size() > 1) {
    return text(Code::unschedulable_and_unresolvable, Reason::multiple_resource_policies, "", {},
                {});
  }
  const ResourcePolicy& policy = world.policies[policies[0]];
  return text(Code::success, Reason::none, policy.metadata.name, recount(world, policy, pod),
              requested(world, policy, pod));
}

std::optional<std::size_t> best_of(const ResourcePolicy& policy, const Node& node) {
  std::optional<std::size_t> best;
  for (const std::size_t unit : units_of(policy, node)) {
    const auto& units = policy.spec.units;
    if (!best || units[unit].priority.value_or(0) > units[*best].priority.value_or(0)) best = unit;
  }
  return best;
}

/// What rule 3 says.
std::string wanted_filter(const World& world, const Pod& pod, const Node& node) {
  const std::vector<std::size_t> policies = selecting(world, pod);
  if (policies.empty()) return text(Filter{.code = Code::success});
  if (policies.size() > 1) return text(Filter{.reason = Reason::multiple_resource_policies});
  const ResourcePolicy& policy = world.policies[policies[0]];
  const std::optional<std::size_t> best = best_of(policy, node);
  if (!best) {
    return text(policy.spec.strategy == Strategy::prefer
                    ? Filter{.code = Code::success}
                    : Filter{.reason = Reason::node_not_in_unit});
  }
  const Counts counts = recount(world, policy, pod);
  for (const std::size_t unit : units_of(policy, node)) {
    const auto& max_count = policy.spec.units[unit].max_count;
    if (max_count && counts[unit] >= *max_count) {
      return text(Filter{.code = Code::unschedulable, .reason = Reason::unit_full, .unit = best});
    }
  }
  const std::vector<schedpol::ResourceList> already = requested(world, policy, pod);
  for (const std::size_t unit : units_of(policy, node)) {
    if (!already.empty() && exceeds(policy.spec.units[unit], already[unit], pod)) {
      return text(Filter{
          .code = Code::unschedulable, .reason = Reason::unit_resources_exceeded, .unit = best});
    }
  }
  return text(Filter{.code = Code::success, .unit = best});
}

constexpr Reason reasons[] = {Reason::none, Reason::multiple_resource_policies, Reason::unit_full,
                              Reason::unit_resources_exceeded, Reason::node_not_in_unit};

TEST_CASE("counts, filters, scores and costs are those of a plain recount") {
  Generator generate(1);
  std::map<std::string, int> seen;
  int overlapping = 0;
  int values_of_part = 0;
  for (int i = 0; i < tries(3000); ++i) {
    CAPTURE(i);
    World world = generate.world();
    if (i % 20 == 0) world = with_many_units(std::move(world));
    const Cluster cluster = cluster_of(world, world.pods);
    for (const Pod& pod : generate.probes(world)) {
      CAPTURE(pod);
      CAPTURE(pod.metadata.labels);
      const Prefilter before = cluster.prefilter(pod);
      CHECK(text(before) == wanted_prefilter(world, pod));
      ++seen[std::string(to_string(before.code()))];
      if (before.code() == Code::success) {
        const ResourcePolicy& policy = world.policies[selecting(world, pod)[0]];
        std::size_t keys = 0;
        for (const std::string& key : policy.spec.match_label_keys) {
          keys += pod.metadata.labels.count(key);
        }
        if (keys > 0 && keys < policy.spec.match_label_keys.size()) ++values_of_part;
      }
      const NodeSet all = cluster.nodes().nodes();
      const std::vector<std::int64_t> scores = before.scores(all);
      CHECK(all.size() == world.nodes.size());
      CHECK(scores.size() == cluster.nodes().size());
      for (const Node& node : world.nodes) {
        CAPTURE(node.metadata.name);
        const Filter filter = before.filter(node.metadata.name);
        CHECK(text(filter) == wanted_filter(world, pod, node));
        const std::size_t number = cluster.nodes().find(node.metadata.name).value();
        CHECK(before.feasible().contains(number) == (filter.code == Code::success));
        for (const Reason reason : reasons) {
          CHECK(before.infeasible(reason).contains(number) ==
                (filter.code != Code::success && filter.reason == reason));
        }
        CHECK(scores[number] == before.score(filter));
        ++seen["filter " + std::string(to_string(filter.reason))];
        if (before.code() != Code::success || filter.code != Code::success) continue;
        const ResourcePolicy& policy = world.policies[selecting(world, pod)[0]];
        const auto best = best_of(policy, node);
        CHECK(before.score(filter) ==
              (best ? 20 * policy.spec.units[*best].priority.value_or(0) : -20));
        if (units_of(policy, node).size() > 1) ++overlapping;
      }
    }
    for (const Pod& pod : world.pods) {
      CAPTURE(pod);
      const std::vector<std::size_t> policies = selecting(world, pod);
      const Node* node = node_of(world, pod.spec.node_name);
      std::optional<std::int32_t> wanted;
      if (node != nullptr && !is_over(pod) && policies.size() == 1) {
        const ResourcePolicy& policy = world.policies[policies[0]];
        const auto best = best_of(policy, *node);
        wanted = best ? 20 * policy.spec.units[*best].priority.value_or(0) : -20;
      }
      const auto cost = cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
      CHECK(cost.has_value() == wanted.has_value());
      CHECK(cost.value_or(0) == wanted.value_or(0));
      ++seen[wanted ? "cost" : "no cost"];
    }
  }
  // Each kind of answer is reached often enough to mean something.
  for (const std::string kind :
       {"Success", "Skip", "UnschedulableAndUnresolvable", "filter ", "filter UnitFull",
        "filter UnitResourcesExceeded", "filter NodeNotInUnit", "filter MultipleResourcePolicies",
        "cost", "no cost"}) {
    CAPTURE(kind);
    CHECK(seen[kind] > tries(2000));
  }
  CHECK(overlapping > tries(2000));
  CHECK(values_of_part > tries(200));
}

}  // namespace cluster_laws_test
