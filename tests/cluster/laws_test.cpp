// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/core/resources.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cluster_laws_test {

// Laws of ResourcePolicies over generated clusters. The counts are made again here from the lists
// of nodes and pods, without matchers, label values or an index.

using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::Node;
using schedpol::NodeSet;
using schedpol::Pod;
using schedpol::resource_policy::Cluster;
using schedpol::resource_policy::Code;
using schedpol::resource_policy::compile;
using schedpol::resource_policy::Filter;
using schedpol::resource_policy::Prefilter;
using schedpol::resource_policy::Reason;
using schedpol::resource_policy::ResourcePolicy;
using schedpol::resource_policy::Strategy;
using schedpol::resource_policy::Unit;
using schedpol::testing::at_least;
using schedpol::testing::tries;
using Op = schedpol::LabelSelectorOperator;
using Counts = std::vector<std::int64_t>;

struct World {
  std::vector<ResourcePolicy> policies;
  std::vector<Node> nodes;
  std::vector<Pod> pods;  ///< bound and not, no two of one namespace and name
};

class Generator : public schedpol::testing::Random {
 public:
  using Random::Random;

  bool one_in(std::size_t count) { return below(count) == 0; }

  Labels labels(const std::vector<std::string>& keys) {
    Labels labels;
    for (const std::string& key : keys) {
      if (!one_in(4)) labels[key] = pick(values_);
    }
    return labels;
  }

  std::optional<LabelSelector> selector(const std::vector<std::string>& keys) {
    if (one_in(6)) return std::nullopt;
    LabelSelector selector;
    if (one_in(2)) selector.match_labels[pick(keys)] = pick(values_);
    if (one_in(3)) {
      selector.match_expressions.push_back(
          {.key = pick(keys), .operator_ = Op::not_in, .values = {pick(values_), pick(values_)}});
    }
    if (one_in(5))
      selector.match_expressions.push_back({.key = pick(keys), .operator_ = Op::exists});
    if (one_in(4)) {
      selector.match_expressions.push_back(
          {.key = pick(keys), .operator_ = Op::in, .values = {pick(values_), pick(values_)}});
    }
    return selector;
  }

  ResourcePolicy policy(std::string name) {
    ResourcePolicy policy;
    policy.metadata = {.name = std::move(name), .namespace_ = pick(namespaces_)};
    policy.spec.match_policy.ignore_terminating_pod = one_in(2);
    policy.spec.strategy = pick(strategies_);
    policy.spec.pod_selector = selector(pod_keys_);
    for (const std::string& key : pod_keys_) {
      if (one_in(2) && !is_about(policy.spec.pod_selector, key))
        policy.spec.match_label_keys.push_back(key);
    }
    for (std::size_t i = below(5); i > 0; --i) {
      Unit& unit = policy.spec.units.emplace_back();
      if (!one_in(4)) unit.max_count = static_cast<std::int32_t>(below(6));
      if (one_in(2)) unit.max_resources["cpu"] = quantity(below(9), "00m");
      if (one_in(4)) unit.max_resources["example.com/gpu"] = quantity(below(5), "");
      if (!one_in(4)) unit.priority = static_cast<std::int32_t>(below(4));
      unit.node_selector = selector(node_keys_);
    }
    return policy;
  }

  Pod pod(std::string name) {
    Pod pod;
    pod.metadata = {
        .name = std::move(name), .namespace_ = pick(namespaces_), .labels = labels(pod_keys_)};
    if (one_in(5)) pod.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
    pod.status.phase = pick(phases_);
    // Requests, or limits alone.
    schedpol::ResourceRequirements& resources = pod.spec.containers.emplace_back().resources;
    schedpol::ResourceList& list = one_in(2) ? resources.requests : resources.limits;
    if (!one_in(4)) list["cpu"] = quantity(below(4), "00m");
    if (one_in(3)) list["example.com/gpu"] = quantity(below(3), "");
    if (one_in(5)) pod.spec.overhead["cpu"] = quantity(1, "00m");
    if (one_in(20)) list["cpu"] = quantity(1, "e30");
    return pod;
  }

  static schedpol::Quantity quantity(std::size_t number, const char* suffix) {
    return *schedpol::Quantity::parse(std::to_string(number) + suffix);
  }

  World world() {
    World world;
    for (std::size_t i = 1 + below(4); i > 0; --i) {
      world.policies.push_back(policy("policy-" + std::to_string(i)));
    }
    for (std::size_t i = 1 + below(6); i > 0; --i) {
      world.nodes.push_back(
          {.metadata = {.name = "node-" + std::to_string(i), .labels = labels(node_keys_)}});
    }
    for (std::size_t i = below(25); i > 0; --i) {
      world.pods.push_back(pod("pod-" + std::to_string(i)));
      if (!one_in(6)) world.pods.back().spec.node_name = pick(world.nodes).metadata.name;
      if (one_in(8)) world.pods.back().spec.node_name = "gone";
    }
    return world;
  }

  /// Pods to ask about: new ones, and some that are bound already.
  std::vector<Pod> probes(const World& world) {
    std::vector<Pod> probes;
    for (std::size_t i = 0; i < 6; ++i) probes.push_back(pod("probe-" + std::to_string(i)));
    for (std::size_t i = 0; i < 2 && !world.pods.empty(); ++i) {
      probes.push_back(pick(world.pods));
      if (one_in(2)) probes.back().metadata.labels = labels(pod_keys_);
    }
    return probes;
  }

 private:
  static bool is_about(const std::optional<LabelSelector>& selector, const std::string& key) {
    if (!selector) return false;
    const auto& expressions = selector->match_expressions;
    return selector->match_labels.count(key) > 0 ||
           std::any_of(expressions.begin(), expressions.end(),
                       [&](const auto& expression) { return expression.key == key; });
  }

  std::vector<std::string> values_ = {"a", "b"};
  std::vector<std::string> pod_keys_ = {"app", "hash", "track"};
  std::vector<std::string> node_keys_ = {"pool", "zone"};
  std::vector<std::string> namespaces_ = {"x", "x", "x", "y"};
  std::vector<std::string> phases_ = {"", "Pending", "Running", "Running", "Succeeded", "Failed"};
  std::vector<Strategy> strategies_ = {Strategy::unset, Strategy::required, Strategy::prefer};
};

/// The same world with as many units as a policy may have; no node is in the new ones.
World with_many_units(World world) {
  for (ResourcePolicy& policy : world.policies) {
    auto& units = policy.spec.units;
    std::vector<Unit> more;
    for (std::size_t i = units.size(); i < schedpol::max_units; ++i) {
      more.push_back(
          {.node_selector = LabelSelector{.match_labels = {{"pool", "of-" + std::to_string(i)}}}});
    }
    units.insert(units.begin() + static_cast<std::ptrdiff_t>(units.size() / 2), more.begin(),
                 more.end());
  }
  return world;
}

bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
  if (!selector) return true;
  for (const auto& [key, value] : selector->match_labels) {
    const auto found = labels.find(key);
    if (found == labels.end() || found->second != value) return false;
  }
  for (const auto& expression : selector->match_expressions) {
    const auto found = labels.find(expression.key);
    const bool there = found != labels.end();
    const bool listed =
        there && std::count(expression.values.begin(), expression.values.end(), found->second) > 0;
    if (expression.operator_ == Op::in && !listed) return false;
    if (expression.operator_ == Op::not_in && listed) return false;
    if (expression.operator_ == Op::exists && !there) return false;
  }
  return true;
}

bool selects(const ResourcePolicy& policy, const Pod& pod) {
  return policy.metadata.namespace_ == pod.metadata.namespace_ &&
         selects(policy.spec.pod_selector, pod.metadata.labels);
}

std::vector<std::size_t> selecting(const World& world, const Pod& pod) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < world.policies.size(); ++i) {
    if (selects(world.policies[i], pod)) indices.push_back(i);
  }
  return indices;
}

bool is_over(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

bool same_pod(const Pod& a, const Pod& b) {
  return a.metadata.namespace_ == b.metadata.namespace_ && a.metadata.name == b.metadata.name;
}

const Node* node_of(const World& world, const std::string& name) {
  for (const Node& node : world.nodes) {
    if (node.metadata.name == name) return &node;
  }
  return nullptr;
}

/// Calls `use` with each unit and each pod that counts in it, by rule 2, read pod by pod.
template <class Use>
void for_each_counted(const World& world, const ResourcePolicy& policy, const Pod& incoming,
                      Use use) {
  for (const Pod& pod : world.pods) {
    const Node* node = node_of(world, pod.spec.node_name);
    if (node == nullptr || same_pod(pod, incoming)) continue;
    if (!selects(policy, pod) || is_over(pod)) continue;
    const bool terminating = !pod.metadata.deletion_timestamp.empty();
    if (terminating && policy.spec.match_policy.ignore_terminating_pod) continue;
    bool same_values = true;
    for (const std::string& key : policy.spec.match_label_keys) {
      const auto wanted = incoming.metadata.labels.find(key);
      if (wanted == incoming.metadata.labels.end()) continue;
      const auto found = pod.metadata.labels.find(key);
      same_values &= found != pod.metadata.labels.end() && found->second == wanted->second;
    }
    if (!same_values) continue;
    for (std::size_t i = 0; i < policy.spec.units.size(); ++i) {
      if (selects(policy.spec.units[i].node_selector, node->metadata.labels)) use(i, pod);
    }
  }
}

Counts recount(const World& world, const ResourcePolicy& policy, const Pod& incoming) {
  Counts counts(policy.spec.units.size());
  for_each_counted(world, policy, incoming, [&](std::size_t unit, const Pod&) { ++counts[unit]; });
  return counts;
}

/// What the counted pods request of what each unit limits; none where no unit of the policy does.
std::vector<schedpol::ResourceList> requested(const World& world, const ResourcePolicy& policy,
                                              const Pod& incoming) {
  const auto& units = policy.spec.units;
  const bool are_limited = std::any_of(
      units.begin(), units.end(), [](const Unit& unit) { return !unit.max_resources.empty(); });
  std::vector<schedpol::ResourceList> requested(are_limited ? units.size() : 0);
  for (std::size_t i = 0; i < requested.size(); ++i) {
    for (const auto& [name, max] : units[i].max_resources) requested[i][name];
  }
  if (!are_limited) return requested;
  for_each_counted(world, policy, incoming, [&](std::size_t unit, const Pod& pod) {
    const schedpol::ResourceList of_pod = pod_requests(pod.spec);
    for (auto& [name, sum] : requested[unit]) {
      if (of_pod.contains(name)) sum = sum + of_pod.find(name)->second;
    }
  });
  return requested;
}

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

std::string text(Code code, Reason reason, std::string_view policy, const Counts& counts,
                 const std::vector<schedpol::ResourceList>& requested) {
  std::string text(to_string(code));
  text.append(" ").append(to_string(reason)).append(" ").append(policy);
  for (const std::int64_t count : counts) text += " " + std::to_string(count);
  for (const schedpol::ResourceList& list : requested) {
    text += ";";
    for (const auto& [name, quantity] : list)
      text += " " + std::to_string(quantity.milli_value()) + "m " + name;
  }
  return text;
}

std::string text(const Prefilter& prefilter) {
  return text(prefilter.code(), prefilter.reason(), prefilter.policy(), prefilter.counts(),
              prefilter.requested());
}

std::string text(const Filter& filter) {
  std::string text(to_string(filter.code));
  text.append(" ").append(to_string(filter.reason));
  return filter.unit ? text + " in " + std::to_string(*filter.unit) : text;
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

/// The node's units and the best of them, for rules 3 to 5.
std::vector<std::size_t> units_of(const ResourcePolicy& policy, const Node& node) {
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < policy.spec.units.size(); ++i) {
    if (selects(policy.spec.units[i].node_selector, node.metadata.labels)) units.push_back(i);
  }
  return units;
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

Cluster cluster_of(const World& world, const std::vector<Pod>& pods) {
  auto compiled = compile(world.policies);
  REQUIRE(static_cast<bool>(compiled));
  return Cluster(*std::move(compiled), world.nodes, pods);
}

constexpr Reason reasons[] = {Reason::none, Reason::multiple_resource_policies, Reason::unit_full,
                              Reason::unit_resources_exceeded, Reason::node_not_in_unit};

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

}  // namespace cluster_laws_test
