// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of ResourcePolicy, with their inputs and results:
/// - resourcePolicy.schedule: pod, policies, pods, nodes; code, reason, policy, counts (per unit),
///   requested (per unit, of the resources that it limits; only where some unit limits any), nodes
///   (name, code, reason, unit, score): unit, an index, and score only on Success, unit absent
///   outside all, reason only otherwise.
/// - resourcePolicy.deletionCosts: policies, pods, nodes; costs (namespace, name, cost).
/// - resourcePolicy.validate: policy; errors, warnings.
/// - resourcePolicy.plan: pod, replicas, policies, pods, nodes; placements (pod, code, reason, node,
///   unit, deletionCost): of a replica that is placed node, deletionCost and unit, else reason;
///   scaleDown, the names of the placed ones in the order in which they go.

#include <schedpol/cluster/plan.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/resource_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether a plan of so many replicas is no more work than a request may make: each of them is held
/// against each node, by policies and units that are so many together.
inline bool may_plan(Input& input, std::size_t replicas, std::size_t nodes, std::size_t cost) {
  const std::size_t most =
      max_planned_steps / (std::max<std::size_t>(nodes, 1) * (cost + planned_steps_beside));
  if (replicas <= most) return true;
  input.fail(EvaluateError::limit_exceeded,
             {ErrorType::too_many, FieldPath{"replicas"}, std::to_string(replicas),
              "must be at most " + std::to_string(most) + " for so many nodes and units"});
  return false;
}

/// With the policies of the input, to place so many replicas of a pod; where they cannot be used, one
/// that could place no pod.
inline resource_policy::Cluster read_cluster(Input& input, const std::vector<Node>& nodes,
                                             const std::vector<Pod>& pods,
                                             std::size_t replicas = 0) {
  const auto policies = input.read<std::vector<resource_policy::ResourcePolicy>>("policies");
  std::size_t cost = 0;
  for (const auto& policy : policies) cost += resource_policy::counting_cost(policy.spec);
  const std::size_t most = max_counted_pairs / std::max<std::size_t>(nodes.size() + pods.size(), 1);
  if (cost > most) {
    input.fail(
        EvaluateError::limit_exceeded,
        {ErrorType::too_many, FieldPath{"policies"}, std::to_string(cost),
         "with their units, twice what those limit and four times the match label keys, must "
         "be at most " +
             std::to_string(most) + " for so many nodes and pods"});
  } else if (may_plan(input, replicas, nodes.size(), cost)) {
    auto compiled = resource_policy::compile(policies);
    if (compiled) return {*std::move(compiled), nodes, pods};
    input.fail(EvaluateError::invalid_object, compiled.errors());
  }
  return {{}, {}, {}};
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
  if (const auto requested = before.requested(); !requested.empty())
    result.member("requested", requested);
  std::vector<resource_policy::Filter> filters;
  std::vector<std::int64_t> scores;
  for (const Node& node : nodes) {
    filters.push_back(before.filter(node.metadata.name));
    if (filters.back().code == Code::success) scores.push_back(before.score(filters.back()));
  }
  scores = resource_policy::normalise(scores);
  ListWriter list(result.key("nodes"));
  auto score = scores.begin();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ObjectWriter node(list.item());
    node.member("name", nodes[i].metadata.name).member("code", to_string(filters[i].code));
    if (filters[i].code != Code::success) {
      node.member("reason", to_string(filters[i].reason));
      continue;
    }
    if (filters[i].unit) node.member("unit", *filters[i].unit);
    node.member("score", *score++);
  }
}

inline void resource_policy_deletion_costs(Input& input, ObjectWriter& result) {
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const resource_policy::Cluster cluster = read_cluster(input, nodes, pods);
  if (!input.complete()) return;
  ListWriter list(result.key("costs"));
  for (const Pod& pod : pods) {
    const auto cost = cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name);
    if (!cost) continue;
    ObjectWriter(list.item())
        .member("namespace", pod.metadata.namespace_)
        .member("name", pod.metadata.name)
        .member("cost", *cost);
  }
}

inline void resource_policy_validate(Input& input, ObjectWriter& result) {
  const auto policy = input.require_unnamed<resource_policy::ResourcePolicy>("policy");
  if (!input.complete()) return;
  const resource_policy::Validation found = validate(policy);
  result.member("errors", found.errors).member("warnings", found.warnings);
}

/// How many replicas; none where the input is wrong.
inline std::size_t read_replicas(Input& input, const std::vector<Node>& nodes) {
  static_cast<void>(input.require_element("replicas"));
  const auto replicas = input.read<std::int32_t>("replicas", EvaluateError::invalid_request);
  const auto fail = [&](EvaluateError code, ErrorType type, const std::string& why) {
    input.fail(code, {type, FieldPath{"replicas"}, std::to_string(replicas), why});
    return std::size_t{0};
  };
  if (replicas < 0)
    return fail(EvaluateError::invalid_request, ErrorType::invalid, "must not be negative");
  std::size_t longest = 0;
  for (const Node& node : nodes) longest = std::max(longest, node.metadata.name.size());
  const std::size_t most =
      max_document_bytes / (planned_replica_bytes + input.text("pod").size() + longest);
  if (static_cast<std::size_t>(replicas) <= most) return static_cast<std::size_t>(replicas);
  return fail(EvaluateError::limit_exceeded, ErrorType::too_many,
              "must be at most " + std::to_string(most) + " of such a pod");
}

inline void write(Writer& out, const resource_policy::Placement& placement) {
  ObjectWriter replica(out);
  replica.member("pod", placement.pod).member("code", to_string(placement.code));
  if (placement.code != resource_policy::Code::success) {
    replica.member("reason", to_string(placement.reason));
    return;
  }
  replica.member("node", placement.node);
  if (placement.unit) replica.member("unit", *placement.unit);
  replica.member("deletionCost", placement.deletion_cost);
}

inline void resource_policy_plan(Input& input, ObjectWriter& result) {
  auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const std::size_t replicas = read_replicas(input, nodes);
  resource_policy::Cluster cluster = read_cluster(input, nodes, pods, replicas);
  if (!input.complete()) return;
  const resource_policy::Plan planned =
      plan(std::move(cluster), nodes, std::move(pod), static_cast<std::int32_t>(replicas));
  result.member("placements", planned.placements).member("scaleDown", planned.scale_down);
}

inline constexpr NamedOperation resource_policy_operations[] = {
    {"resourcePolicy.deletionCosts", resource_policy_deletion_costs},
    {"resourcePolicy.plan", resource_policy_plan},
    {"resourcePolicy.schedule", resource_policy_schedule},
    {"resourcePolicy.validate", resource_policy_validate},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
