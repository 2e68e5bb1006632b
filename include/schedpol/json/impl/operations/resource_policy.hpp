// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of ResourcePolicy, with their inputs and results:
/// - resourcePolicy.schedule: pod, policies, pods, nodes; code, reason, policy, counts (per unit),
///   nodes (name, code, reason, unit, score): unit, an index, and score only on Success, unit
///   absent outside all, reason only otherwise.
/// - resourcePolicy.deletionCosts: policies, pods, nodes; costs (namespace, name, cost).

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/schema/resource_policy.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/score.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

/// With the policies of the input; where they cannot be used, one that could place no pod.
inline resource_policy::Cluster read_cluster(Input& input, const std::vector<Node>& nodes,
                                             const std::vector<Pod>& pods) {
  const auto policies = input.read<std::vector<resource_policy::ResourcePolicy>>("policies");
  std::size_t counting = policies.size();
  for (const auto& policy : policies) counting += policy.spec.units.size();
  const std::size_t most = max_counted_pairs / std::max<std::size_t>(nodes.size() + pods.size(), 1);
  if (counting > most) {
    input.fail(EvaluateError::limit_exceeded,
               {ErrorType::too_many, FieldPath{"policies"}, std::to_string(counting),
                "with their units must be at most " + std::to_string(most) +
                    " for so many nodes and pods"});
    return {{}, {}, {}};
  }
  auto compiled = resource_policy::compile(policies);
  if (!compiled) {
    input.fail(EvaluateError::invalid_object, compiled.errors());
    return {{}, {}, {}};
  }
  return {*std::move(compiled), nodes, pods};
}

inline void resource_policy_schedule(Input& input, ObjectWriter& result) {
  using resource_policy::Code;
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Cluster cluster = read_cluster(input, nodes, pods);
  if (!input.complete()) return;
  const auto before = cluster.prefilter(pod);
  result.member("code", to_string(before.code()));
  if (before.reason() != resource_policy::Reason::none)
    result.member("reason", to_string(before.reason()));
  if (before.code() != Code::success) return;
  result.member("policy", before.policy()).member("counts", before.counts());
  std::vector<resource_policy::Filter> filters;
  std::vector<std::int64_t> scores;
  for (const Node& node : nodes) {
    filters.push_back(before.filter(node.metadata.name));
    if (filters.back().code == Code::success) scores.push_back(before.score(filters.back()));
  }
  scores = resource_policy::normalise(scores);
  Writer& list = result.key("nodes");
  list += '[';
  auto score = scores.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0) list += ',';
    ObjectWriter node(list);
    node.member("name", nodes[i].metadata.name).member("code", to_string(filters[i].code));
    if (filters[i].code != Code::success) {
      node.member("reason", to_string(filters[i].reason));
      continue;
    }
    if (filters[i].unit) node.member("unit", *filters[i].unit);
    node.member("score", *score++);
  }
  list += ']';
}

inline void resource_policy_deletion_costs(Input& input, ObjectWriter& result) {
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Cluster cluster = read_cluster(input, nodes, pods);
  if (!input.complete()) return;
  Writer& list = result.key("costs");
  list += '[';
  for (const Pod& pod : pods) {
    const auto cost = cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    if (!cost) continue;
    if (!list.ends_with('[')) list += ',';
    ObjectWriter(list)
        .member("namespace", pod.metadata.namespace_)
        .member("name", pod.metadata.name)
        .member("cost", *cost);
  }
  list += ']';
}

inline constexpr NamedOperation resource_policy_operations[] = {
    {"resourcePolicy.deletionCosts", resource_policy_deletion_costs},
    {"resourcePolicy.schedule", resource_policy_schedule},
};

}  // namespace schedpol::json::detail
