// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/spread_constraint.hpp>
#include <schedpol/core/topology_spread.hpp>
#include <schedpol/impl/linkage.hpp>

#include <map>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

struct SpreadCounts {
  SpreadConstraint constraint;
  std::map<std::string, std::int64_t, std::less<>> by_domain{};
  std::int64_t lowest = 0;
};

inline bool has_keys(const Node& node, const std::vector<SpreadCounts>& counts) noexcept {
  return detail::all_of(counts, [&](const SpreadCounts& one) {
    return find_label(node.metadata.labels, one.constraint.key) != nullptr;
  });
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
  const NodeAffinityMatcher affinity(pod.spec);
  // Where the pods of a node count for each constraint, null where they do not, by its name.
  std::map<std::string, std::vector<std::int64_t*>, std::less<>> counted;
  for (const Node& node : nodes) {
    std::vector<std::int64_t*>& of_node = counted[node.metadata.name];
    of_node.assign(impl.constraints.size(), nullptr);
    if (!detail::has_keys(node, impl.constraints)) continue;
    for (std::size_t i = 0; i < impl.constraints.size(); ++i) {
      auto& [constraint, by_domain, lowest] = impl.constraints[i];
      if (constraint.honors_affinity && !affinity.matches(node)) continue;
      if (constraint.honors_taints && !tolerates_all(pod.spec.tolerations, node.spec.taints))
        continue;
      of_node[i] = &by_domain[*find_label(node.metadata.labels, constraint.key)];
    }
  }
  for (const Pod& bound : pods) {
    const auto on = counted.find(bound.spec.node_name);
    if (on == counted.end() || !detail::is_spread(bound) ||
        namespace_of(bound.metadata) != namespace_of(pod.metadata))
      continue;
    for (std::size_t i = 0; i < impl.constraints.size(); ++i) {
      const detail::SpreadConstraint& constraint = impl.constraints[i].constraint;
      if (on->second[i] != nullptr && constraint.selector)
        *on->second[i] += constraint.matcher.matches(bound.metadata.labels);
    }
  }
  for (auto& [constraint, by_domain, lowest] : impl.constraints) {
    const auto emptiest =
        std::min_element(by_domain.begin(), by_domain.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    lowest =
        constraint.lowest(by_domain.size(), emptiest == by_domain.end() ? 0 : emptiest->second);
  }
  TopologySpread spread;
  spread.impl_ = Shared<TopologySpread::Impl>(std::move(impl));
  return spread;
}

}  // namespace SCHEDPOL_NAMESPACE
