// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a Cluster keeps: the units of every node, the bound pods and their counts.

#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>
#include <schedpol/resource_policy/impl/group_counts.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::resource_policy {

namespace detail {

/// A policy that counts a pod, and the group that the pod has in it.
struct CountedBy {
  std::size_t policy = 0;
  Group group{};
};

struct BoundPod {
  std::string node{};
  std::size_t selecting = 0;  ///< policies that select the pod
  std::size_t policy = 0;     ///< the last of them
  std::vector<CountedBy> counted_by{};
};

/// Pods by namespace and name, found without copying either.
struct PodOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    const int order = std::string_view(a.first).compare(b.first);
    return order != 0 ? order < 0 : std::string_view(a.second) < b.second;
  }
};

[[nodiscard]] inline bool is_over(const Pod& pod) noexcept {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Of the units of a node, of which there are some, the one of the highest score, of equals the
/// first.
[[nodiscard]] inline std::size_t best_unit(const CompiledPolicy& policy,
                                           const UnitIndices& of_node) noexcept {
  std::size_t best = of_node.front();
  for (const std::size_t unit : of_node) {
    if (policy.units[unit].score > policy.units[best].score) best = unit;
  }
  return best;
}

}  // namespace detail

struct Cluster::Impl {
  using PodName = std::pair<std::string_view, std::string_view>;

  explicit Impl(Shared<CompiledPolicies::Impl> from) : compiled(std::move(from)) {
    for (const auto& policy : compiled->policies) counts.emplace_back(policy.units.size());
  }

  [[nodiscard]] const std::vector<detail::CompiledPolicy>& policies() const noexcept {
    return compiled->policies;
  }

  void add_node(const Node& node) {
    auto& units = nodes[node.metadata.name];
    units.assign(policies().size(), {});
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto& all = policies()[i].units;
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (all[j].nodes.matches(node.metadata.labels)) units[i].push_back(j);
      }
    }
  }

  /// None of a node that is not in the cluster.
  [[nodiscard]] const detail::UnitIndices& units_of(std::size_t policy,
                                                    std::string_view node) const noexcept {
    const auto found = nodes.find(node);
    return found == nodes.end() ? no_units : found->second[policy];
  }

  /// Of the policy, as rule 2 counts for this pod: itself is left out.
  [[nodiscard]] std::vector<std::int64_t> counts_for(const Pod& pod, std::size_t policy) const {
    const detail::Group group =
        detail::group_of(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<std::int64_t> seen = counts[policy].seen_by(group);
    const auto itself = bound.find(PodName(pod.metadata.namespace_, pod.metadata.name));
    if (itself == bound.end()) return seen;
    for (const detail::CountedBy& by : itself->second.counted_by) {
      if (by.policy != policy || !detail::counts_for(group, by.group)) continue;
      for (const std::size_t unit : units_of(policy, itself->second.node)) --seen[unit];
    }
    return seen;
  }

  void bind(const Pod& pod, std::string_view node) {
    unbind({pod.metadata.namespace_, pod.metadata.name});
    const auto at = nodes.find(node);
    if (at == nodes.end() || detail::is_over(pod)) return;
    detail::BoundPod made;
    made.node = std::string(node);
    for (std::size_t i = 0; i < policies().size(); ++i) {
      const detail::CompiledPolicy& policy = policies()[i];
      if (!policy.selects(pod)) continue;
      ++made.selecting;
      made.policy = i;
      if (policy.ignores_terminating_pods && !pod.metadata.deletion_timestamp.empty()) continue;
      made.counted_by.push_back(
          {i, detail::group_of(pod.metadata.labels, policy.match_label_keys)});
      counts[i].add(made.counted_by.back().group, at->second[i]);
    }
    bound.insert_or_assign({pod.metadata.namespace_, pod.metadata.name}, std::move(made));
    ++changes;
  }

  void unbind(PodName pod) {
    const auto found = bound.find(pod);
    if (found == bound.end()) return;
    for (const detail::CountedBy& by : found->second.counted_by)
      counts[by.policy].remove(by.group, units_of(by.policy, found->second.node));
    bound.erase(found);
    ++changes;
  }

  Shared<CompiledPolicies::Impl> compiled;
  std::map<std::string, std::vector<detail::UnitIndices>, std::less<>> nodes;  ///< by policy
  std::vector<detail::GroupCounts> counts;                                     ///< by policy
  std::map<std::pair<std::string, std::string>, detail::BoundPod, detail::PodOrder> bound;
  std::uint64_t changes = 0;
  detail::UnitIndices no_units;
};

}  // namespace schedpol::resource_policy
