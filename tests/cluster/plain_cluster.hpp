// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a cluster answers, by a plain recount.

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

namespace plain_cluster {

// Laws of ResourcePolicies over generated clusters. The counts are made again here from the lists
// of nodes and pods, without matchers, label values or an index.

using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::Node;
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
inline World with_many_units(World world) {
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

inline bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
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

inline bool selects(const ResourcePolicy& policy, const Pod& pod) {
  return policy.metadata.namespace_ == pod.metadata.namespace_ &&
         selects(policy.spec.pod_selector, pod.metadata.labels);
}

inline std::vector<std::size_t> selecting(const World& world, const Pod& pod) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < world.policies.size(); ++i) {
    if (selects(world.policies[i], pod)) indices.push_back(i);
  }
  return indices;
}

inline bool is_over(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

inline bool same_pod(const Pod& a, const Pod& b) {
  return a.metadata.namespace_ == b.metadata.namespace_ && a.metadata.name == b.metadata.name;
}

inline const Node* node_of(const World& world, const std::string& name) {
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

inline Counts recount(const World& world, const ResourcePolicy& policy, const Pod& incoming) {
  Counts counts(policy.spec.units.size());
  for_each_counted(world, policy, incoming, [&](std::size_t unit, const Pod&) { ++counts[unit]; });
  return counts;
}

/// What the counted pods request of what each unit limits; none where no unit of the policy does.
inline std::vector<schedpol::ResourceList> requested(const World& world,
                                                     const ResourcePolicy& policy,
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

inline std::string text(Code code, Reason reason, std::string_view policy, const Counts& counts,
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

inline std::string text(const Prefilter& prefilter) {
  return text(prefilter.code(), prefilter.reason(), prefilter.policy(), prefilter.counts(),
              prefilter.requested());
}

inline std::string text(const Filter& filter) {
  std::string text(to_string(filter.code));
  text.append(" ").append(to_string(filter.reason));
  return filter.unit ? text + " in " + std::to_string(*filter.unit) : text;
}

/// The node's units and the best of them, for rules 3 to 5.
inline std::vector<std::size_t> units_of(const ResourcePolicy& policy, const Node& node) {
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < policy.spec.units.size(); ++i) {
    if (selects(policy.spec.units[i].node_selector, node.metadata.labels)) units.push_back(i);
  }
  return units;
}

inline Cluster cluster_of(const World& world, const std::vector<Pod>& pods) {
  auto compiled = compile(world.policies);
  REQUIRE(static_cast<bool>(compiled));
  return Cluster(*std::move(compiled), world.nodes, pods);
}

}  // namespace plain_cluster
