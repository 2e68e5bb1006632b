// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/spread_constraint.hpp>
#include <schedpol/core/topology_spread.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

struct SpreadCounts {
  SpreadConstraint constraint;
  std::map<std::string, std::int64_t, std::less<>> by_domain{};
  std::int64_t lowest = 0;

  void find_lowest() {
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto emptiest = std::min_element(by_domain.begin(), by_domain.end(), fewer);
    lowest =
        constraint.lowest(by_domain.size(), emptiest == by_domain.end() ? 0 : emptiest->second);
  }
};

inline bool has_keys(const Node& node, const std::vector<SpreadCounts>& counts) noexcept {
  return detail::all_of(counts, [&](const SpreadCounts& one) {
    return find_label(node.metadata.labels, one.constraint.key) != nullptr;
  });
}

/// Pods by the node that they are bound to.
using PodsByNode = std::unordered_map<std::string_view, std::vector<const Pod*>>;

inline void count_node(std::vector<SpreadCounts>& all, const Pod& pod,
                       const NodeAffinityMatcher& affinity, const Node& node,
                       const std::vector<const Pod*>& pods) {
  for (SpreadCounts& counts : all) {
    const SpreadConstraint& constraint = counts.constraint;
    if (constraint.honors_affinity && !affinity.matches(node)) continue;
    if (constraint.honors_taints && !tolerates_all(pod.spec.tolerations, node.spec.taints))
      continue;
    std::int64_t& count = counts.by_domain[*find_label(node.metadata.labels, constraint.key)];
    if (!constraint.selector) continue;
    for (const Pod* bound : pods) count += constraint.matcher.matches(bound->metadata.labels);
  }
}

}  // namespace detail

struct TopologySpread::Impl {
  std::vector<detail::SpreadCounts> constraints;
};

SCHEDPOL_INLINE std::string_view to_string(SpreadReason reason) noexcept {
  switch (reason) {
    case SpreadReason::none: return "";
    case SpreadReason::missing_label:
      return "node(s) didn't match pod topology spread constraints (missing required label)";
    case SpreadReason::skew: return "node(s) didn't match pod topology spread constraints";
  }
  return "";
}

SCHEDPOL_INLINE Spread TopologySpread::filter(const Node& node) const noexcept {
  if (!impl_) return {};
  for (const detail::SpreadCounts& counts : impl_->constraints) {
    const detail::SpreadConstraint& constraint = counts.constraint;
    const std::string* domain = find_label(node.metadata.labels, constraint.key);
    if (domain == nullptr) return {SpreadReason::missing_label, constraint.index, 0};
    const auto found = counts.by_domain.find(*domain);
    const std::int64_t count = found == counts.by_domain.end() ? 0 : found->second;
    const std::int64_t skew = count + constraint.itself - counts.lowest;
    if (skew > constraint.max_skew) return {SpreadReason::skew, constraint.index, skew};
  }
  return {};
}

SCHEDPOL_INLINE Result<TopologySpread> topology_spread(const Pod& pod, std::span<const Node> nodes,
                                                       std::span<const Pod> pods) {
  TopologySpread::Impl impl;
  detail::FieldErrors errors;
  for (detail::SpreadConstraint& constraint : detail::spread_constraints(pod, errors))
    impl.constraints.push_back({std::move(constraint)});
  if (!errors.empty()) return std::move(errors).take();
  if (impl.constraints.empty()) return TopologySpread();
  detail::PodsByNode on;
  for (const Pod& bound : pods) {
    if (detail::is_spread(bound) && namespace_of(bound.metadata) == namespace_of(pod.metadata))
      on[bound.spec.node_name].push_back(&bound);
  }
  const NodeAffinityMatcher affinity(pod.spec);
  for (const Node& node : nodes) {
    if (detail::has_keys(node, impl.constraints))
      detail::count_node(impl.constraints, pod, affinity, node, on[node.metadata.name]);
  }
  for (detail::SpreadCounts& counts : impl.constraints) counts.find_lowest();
  TopologySpread spread;
  spread.impl_ = Shared<TopologySpread::Impl>(std::move(impl));
  return spread;
}

}  // namespace SCHEDPOL_NAMESPACE
