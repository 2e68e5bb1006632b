// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/cluster/node_scores.hpp>
#include <schedpol/cluster/plan.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <algorithm>
#include <set>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Where the next replica goes, when so many are on each of the nodes already; it is counted there.
inline Placement place(const Cluster& cluster, const std::vector<const Node*>& nodes,
                       const Pod& pod, std::vector<std::size_t>& replicas) {
  const Prefilter prefilter = cluster.prefilter(pod);
  Placement placement;
  placement.pod = pod.metadata.name;
  placement.reason = prefilter.reason();
  std::optional<std::int64_t> best;  // score
  std::size_t on = 0;                // the number of the node of that score
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Filter filter = prefilter.filter(nodes[i]->metadata.name);
    if (filter.code != Code::success) {
      if (!best && placement.code != Code::unschedulable) {
        placement.code = filter.code;
        placement.reason = filter.reason;
      }
      continue;
    }
    const std::int64_t score = prefilter.score(filter);
    if (best && (score < *best || (score == *best && replicas[i] >= replicas[on]))) continue;
    best = score;
    on = i;
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = nodes[i]->metadata.name;
    placement.unit = filter.unit;
  }
  if (best) ++replicas[on];
  return placement;
}

/// The placed replicas, the first to be deleted first.
inline std::vector<std::string> scale_down_order(PodKind kind,
                                                 const std::vector<Placement>& placements) {
  std::vector<std::string> names;
  if (kind == PodKind::daemon_set || kind == PodKind::job || kind == PodKind::cron_job)
    return names;
  std::vector<const Placement*> placed;
  for (const Placement& placement : placements)
    if (!placement.node.empty()) placed.push_back(&placement);
  std::sort(placed.begin(), placed.end(), [&](const Placement* a, const Placement* b) {
    return kind != PodKind::stateful_set && a->deletion_cost != b->deletion_cost
               ? a->deletion_cost < b->deletion_cost
               : a > b;
  });
  for (const Placement* placement : placed) names.push_back(placement->pod);
  return names;
}

/// Binds the replica where it goes, and says what its deletion cost is there.
inline void bind(Cluster& cluster, const Pod& pod, Placement& placement) {
  if (placement.code != Code::success) return;
  cluster.bind(pod, placement.node);
  placement.deletion_cost =
      cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
}

/// Whether a workload controls a pod.
inline bool controls(const Pod& workload, const Pod& pod) {
  return namespace_of(pod.metadata) == namespace_of(workload.metadata) &&
         schedpol::detail::any_of(pod.metadata.owner_references, [&](const OwnerReference& owner) {
           return owner.controller && owner.name == workload.metadata.name &&
                  owner.kind == to_string(workload.kind) &&
                  (owner.api_version.empty() ||
                   is_in_group(workload.kind, api_group(owner.api_version)));
         });
}

/// The replicas of one workload, placed one after another as kube-scheduler would.
class ScheduledReplicas {
 public:
  /// Of the running pods those stay that are replicas already.
  ScheduledReplicas(Cluster cluster, BoundPods pods, Pod pod, std::span<const Pod> running)
      : cluster_(std::move(cluster)),
        pods_(std::move(pods)),
        pod_(std::move(pod)),
        name_(pod_.metadata.name),
        replicas_(pods_.nodes().size()) {
    if (pod_.kind != PodKind::stateful_set && pod_.kind != PodKind::daemon_set) return;
    for (const Pod& each : running) {
      const auto node = pods_.node_of(each.metadata.namespace_, each.metadata.name);
      if (node && controls(pod_, each)) kept_.try_emplace(each.metadata.name, *node);
    }
  }

  [[nodiscard]] Result<Plan> plan(std::int32_t replicas) && {
    if (pod_.kind == PodKind::daemon_set) {
      place_on_each_node();
    } else if (pod_.kind == PodKind::stateful_set) {
      for (std::int32_t i = 0; i < replicas && errors_.empty(); ++i) place_ordinal(i);
    } else {
      for (std::int32_t i = 0; i < replicas && errors_.empty(); ++i) place_new();
    }
    if (!errors_.empty()) return std::move(errors_);
    result_.scale_down = scale_down_order(pod_.kind, result_.placements);
    return std::move(result_);
  }

 private:
  void place_on_each_node() {
    schedpol::detail::append(pod_.spec.tolerations, scheduling_policy::daemon_set_tolerations());
    const NodeTable& table = pods_.nodes();
    const std::optional<Affinity> affinity = pod_.spec.affinity;
    const NodeSet picked =
        table.matching(NodeAffinityMatcher(pod_.spec)) & table.tolerated_by(pod_.spec.tolerations);
    std::map<std::string_view, std::string_view>
        kept_on;  // the name of the pod by that of its node
    for (const auto& [name, node] : kept_) kept_on.try_emplace(node, name);
    for (const std::size_t node : picked) {
      const auto kept = kept_on.find(table.name(node));
      if (kept != kept_on.end()) {
        keep(kept->second, kept->first);
        continue;
      }
      pod_.spec.affinity = affinity;
      require_name(table.name(node));
      place_new();
      if (!errors_.empty()) return;
    }
  }

  /// As the controller does: the name takes the place of every required term, which the node has met.
  void require_name(std::string_view name) {
    if (!pod_.spec.affinity) pod_.spec.affinity.emplace();
    auto& node = pod_.spec.affinity->node_affinity;
    if (!node) node.emplace();
    auto& required = node->required_during_scheduling_ignored_during_execution;
    required = NodeSelector{
        {{.match_fields = {{"metadata.name", NodeSelectorOperator::in, {std::string(name)}}}}}};
  }

  void place_ordinal(std::int32_t ordinal) {
    const std::string name = name_ + "-" + std::to_string(ordinal);
    const auto kept = kept_.find(name);
    if (kept != kept_.end()) {
      keep(kept->first, kept->second);
    } else if (is_taken(name)) {
      result_.placements.push_back(
          {.pod = name,
           .message = "pod " + in_backticks(name) + " is there and is not the StatefulSet's"});
    } else {
      place(name);
    }
  }

  /// Under the next name that no bound pod has.
  void place_new() {
    std::string name;
    do name = name_ + "-" + std::to_string(next_++);
    while (is_taken(name));
    place(std::move(name));
  }

  [[nodiscard]] bool is_taken(std::string_view name) const {
    return pods_.node_of(pod_.metadata.namespace_, name).has_value();
  }

  /// A replica that runs.
  void keep(std::string_view name, std::string_view node) {
    pod_.metadata.name = name;
    if (const auto number = pods_.nodes().find(node)) ++replicas_[*number];
    result_.placements.push_back(
        {.pod = pod_.metadata.name,
         .code = Code::success,
         .node = std::string(node),
         .unit = cluster_.prefilter(pod_).filter(node).unit,
         .deletion_cost = cluster_.deletion_cost(pod_.metadata.namespace_, name).value_or(0)});
  }

  void place(std::string name) {
    pod_.metadata.name = std::move(name);
    Placement placement;
    placement.pod = pod_.metadata.name;
    if (pod_.spec.scheduling_gates.empty()) {
      choose_node(placement);
    } else {
      placement.message = "Scheduling is blocked due to non-empty scheduling gates";
    }
    if (placement.code == Code::success) errors_ = pods_.bind(pod_, placement.node);
    bind(cluster_, pod_, placement);
    result_.placements.push_back(std::move(placement));
  }

  void choose_node(Placement& placement) {
    Result<FilteredNodes> found = pods_.filter(pod_);
    if (!found) {
      errors_ = std::move(found).errors();
      return;
    }
    FilteredNodes filtered = *std::move(found);
    const NodeTable& table = pods_.nodes();
    const Prefilter prefilter = cluster_.prefilter(pod_);
    if (prefilter.code() != Code::success && prefilter.code() != Code::skip) {
      placement.code = prefilter.code();
      placement.reason = prefilter.reason();
      filtered = {.conflict = std::string(to_string(prefilter.reason()))};
    }
    NodeSet best;
    std::int64_t highest_score = 0;
    for (const std::size_t node : filtered.feasible) {
      const Filter filter = prefilter.filter(table.name(node));
      const bool is_ruled = prefilter.code() == Code::success;
      if (is_ruled && filter.code != Code::success) {
        ++filtered.reasons[std::string(to_string(filter.reason))];
        if (placement.code != Code::unschedulable) {
          placement.code = filter.code;
          placement.reason = filter.reason;
        }
        continue;
      }
      const std::int64_t score = is_ruled ? prefilter.score(filter) : 0;
      if (!best.empty() && score < highest_score) continue;
      if (score > highest_score) best.clear();
      highest_score = score;
      best.insert(node);
    }
    if (best.empty()) {
      placement.message = message(filtered, table.nodes().size());
      return;
    }
    const NodeSet winners = highest(scores(best), best);
    std::size_t chosen = *winners.begin();
    for (const std::size_t node : winners)
      if (replicas_[node] < replicas_[chosen]) chosen = node;
    ++replicas_[chosen];
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = table.name(chosen);
    placement.unit = prefilter.filter(placement.node).unit;
  }

  /// What kube-scheduler scores of these nodes besides the policy, weighted.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeSet& nodes) const {
    const NodeTable& table = pods_.nodes();
    constexpr TaintEffect prefer_no_schedule[] = {TaintEffect::prefer_no_schedule};
    const NodeSet tolerated = table.tolerated_by(pod_.spec.tolerations, prefer_no_schedule);
    const auto by_labels =
        normalise_by_highest(table.scores(NodeAffinityMatcher(pod_.spec)), nodes);
    const auto by_pods = pods_.affinity_scores(pod_, nodes);
    std::vector<std::int64_t> sum = pods_.least_allocated(pod_, nodes);
    for (const std::size_t node : nodes)
      sum[node] += 3 * (tolerated.contains(node) ? max_node_score : 0) + 2 * by_labels[node] +
                   (by_pods ? 2 * (*by_pods)[node] : 0);
    return sum;
  }

  Cluster cluster_;
  BoundPods pods_;
  Pod pod_;
  std::string name_;
  std::vector<std::size_t> replicas_;        ///< on each node
  std::map<std::string, std::string> kept_;  ///< the nodes of the replicas that run, by their names
  std::size_t next_ = 0;                     ///< of the names of new replicas
  Plan result_;
  std::vector<FieldError> errors_;
};

}  // namespace detail

SCHEDPOL_INLINE Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                          std::int32_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  std::set<std::string_view> names;
  std::vector<const Node*> distinct;
  for (const Node& node : nodes)
    if (names.insert(node.metadata.name).second) distinct.push_back(&node);
  std::vector<std::size_t> on_node(distinct.size());
  for (std::int32_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement placement = detail::place(cluster, distinct, pod, on_node);
    detail::bind(cluster, pod, placement);
    result.placements.push_back(std::move(placement));
  }
  result.scale_down = detail::scale_down_order(pod.kind, result.placements);
  return result;
}

SCHEDPOL_INLINE Result<Plan> plan(Cluster cluster, BoundPods pods, Pod pod, std::int32_t replicas,
                                  std::span<const Pod> running) {
  return detail::ScheduledReplicas(std::move(cluster), std::move(pods), std::move(pod), running)
      .plan(replicas);
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
