// SPDX-License-Identifier: Apache-2.0
#pragma once

// What topology spread constraints leave to a pod, evaluated as rule 2 of `cluster/bound_pods.hpp`
// is written down: node by node and pod by pod, in a snapshot. Slow, and meant to be obvious.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::testing {

enum class Spread { fits, missing_label, too_much_skew };

class PlainSpread {
 public:
  PlainSpread(const Pod& pod, const std::vector<Node>& nodes, const std::vector<Pod>& pods)
      : pod_(pod), nodes_(nodes), pods_(pods) {
    for (const auto& constraint : pod.spec.topology_spread_constraints) {
      if (constraint.when_unsatisfiable == WhenUnsatisfiable::do_not_schedule)
        constraints_.push_back(constraint);
    }
    for (const auto& constraint : constraints_) counts_.push_back(by_domain(constraint));
  }

  /// What keeps the pod from the node: the first constraint that it would break.
  [[nodiscard]] Spread on(const Node& node) const {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      const TopologySpreadConstraint& constraint = constraints_[i];
      const Counts& counts = counts_[i];
      const auto domain = node.metadata.labels.find(constraint.topology_key);
      if (domain == node.metadata.labels.end()) return Spread::missing_label;
      const auto found = counts.find(domain->second);
      const std::int64_t itself = matches(constraint, pod_, true) ? 1 : 0;
      const std::int64_t count = found == counts.end() ? 0 : found->second;
      if (count + itself - lowest(constraint, counts) > constraint.max_skew)
        return Spread::too_much_skew;
    }
    return Spread::fits;
  }

 private:
  using Counts = std::map<std::string, std::int64_t>;

  [[nodiscard]] bool takes_part(const TopologySpreadConstraint& constraint,
                                const Node& node) const {
    for (const TopologySpreadConstraint& each : constraints_)
      if (!node.metadata.labels.contains(each.topology_key)) return false;
    const bool honors_affinity = constraint.node_affinity_policy == NodeInclusionPolicy::unset ||
                                 constraint.node_affinity_policy == NodeInclusionPolicy::honor;
    if (honors_affinity && !NodeAffinityMatcher(pod_.spec).matches(node)) return false;
    return constraint.node_taints_policy != NodeInclusionPolicy::honor ||
           tolerates_all(pod_.spec.tolerations, node.spec.taints);
  }

  /// `{}` selects the pod itself, and counts none.
  [[nodiscard]] bool matches(const TopologySpreadConstraint& constraint, const Pod& pod,
                             bool itself) const {
    if (!constraint.label_selector) return false;
    LabelSelector selector = *constraint.label_selector;
    for (const std::string& key : constraint.match_label_keys) {
      const auto own = pod_.metadata.labels.find(key);
      if (own == pod_.metadata.labels.end()) continue;
      selector.match_expressions.push_back({key, LabelSelectorOperator::in, {own->second}});
    }
    if (!itself && selector == LabelSelector{}) return false;
    return (*compile(selector)).matches(pod.metadata.labels);
  }

  [[nodiscard]] bool is_counted(const TopologySpreadConstraint& constraint,
                                const Pod& bound) const {
    return namespace_of(bound.metadata) == namespace_of(pod_.metadata) &&
           bound.metadata.deletion_timestamp.empty() && bound.status.phase != "Succeeded" &&
           bound.status.phase != "Failed" && matches(constraint, bound, false);
  }

  [[nodiscard]] Counts by_domain(const TopologySpreadConstraint& constraint) const {
    Counts by_domain;
    for (const Node& node : nodes_) {
      if (!takes_part(constraint, node)) continue;
      std::int64_t& count = by_domain[node.metadata.labels.at(constraint.topology_key)];
      for (const Pod& bound : pods_)
        count +=
            bound.spec.node_name == node.metadata.name && is_counted(constraint, bound) ? 1 : 0;
    }
    return by_domain;
  }

  [[nodiscard]] static std::int64_t lowest(const TopologySpreadConstraint& constraint,
                                           const Counts& counts) {
    if (static_cast<std::int64_t>(counts.size()) < constraint.min_domains.value_or(1)) return 0;
    std::int64_t lowest = counts.empty() ? 0 : counts.begin()->second;
    for (const auto& [domain, count] : counts) lowest = std::min(lowest, count);
    return lowest;
  }

  const Pod& pod_;
  const std::vector<Node>& nodes_;
  const std::vector<Pod>& pods_;
  std::vector<TopologySpreadConstraint> constraints_;
  std::vector<Counts> counts_;
};

}  // namespace schedpol::testing
