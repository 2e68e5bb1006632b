// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of a cluster's nodes and bound pods, with their inputs and results:
/// - pod.filterNodes: pod, nodes, pods (of which those with a `spec.nodeName` are bound), namespaces; feasible,
///   the names of the nodes that the default filters of kube-scheduler leave (rule 8 of
///   `cluster/bound_pods.hpp`), in the order in which they came, and where there is none message, what
///   kube-scheduler says of it.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/json/impl/operation.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// How many terms and constraints one pod is held against others by.
inline std::size_t terms_between_pods(const PodSpec& spec) {
  std::size_t terms = spec.topology_spread_constraints.size();
  if (!spec.affinity) return terms;
  for (const auto* kind : {&spec.affinity->pod_affinity, &spec.affinity->pod_anti_affinity})
    if (*kind) terms += (*kind)->required_during_scheduling_ignored_during_execution.size();
  return terms;
}

inline void pod_filter_nodes(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto nodes = input.read<std::vector<Node>>("nodes");
  const auto pods = input.read<std::vector<Pod>>("pods");
  const auto namespaces = input.read<std::vector<Namespace>>("namespaces");
  std::size_t terms = terms_between_pods(pod.spec);
  for (const Pod& bound : pods) terms += terms_between_pods(bound.spec);
  const std::size_t most = max_counted_pairs / std::max<std::size_t>(nodes.size() + pods.size(), 1);
  if (terms > most) {
    input.fail(EvaluateError::limit_exceeded,
               {ErrorType::too_many, FieldPath{"pods"}, std::to_string(terms),
                "terms of required pod affinity and spread constraints, of all pods together, must "
                "be at most " +
                    std::to_string(most) + " for so many nodes and pods"});
  }
  if (!input.complete()) return;
  BoundPods bound(nodes, namespaces);
  for (std::size_t i = 0; i < pods.size(); ++i) {
    for (FieldError& error : bound.bind(pods[i], pods[i].spec.node_name)) {
      error.field = FieldPath{"pods"}.index(i).join(error.field);
      input.fail(EvaluateError::invalid_object, std::move(error));
    }
  }
  const Result<FilteredNodes> filtered = bound.filter(pod);
  for (FieldError error : filtered.errors()) {
    error.field = FieldPath{"pod"}.join(error.field);
    input.fail(EvaluateError::invalid_object, std::move(error));
  }
  if (!input.complete()) return;
  std::vector<std::string_view> feasible;
  for (const std::size_t node : filtered->feasible) feasible.push_back(bound.nodes().name(node));
  result.member("feasible", feasible);
  if (feasible.empty()) result.member("message", message(*filtered, bound.nodes().nodes().size()));
}

inline constexpr NamedOperation cluster_operations[] = {
    {"pod.filterNodes", pod_filter_nodes},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
