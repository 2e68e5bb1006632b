// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/spread_constraint.hpp>
#include <schedpol/core/impl/topology.hpp>
#include <schedpol/core/topology_spread.hpp>
#include <schedpol/impl/linkage.hpp>

#include <map>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

struct SpreadCounts {
  SpreadConstraint constraint;
  Topology topology{};
  std::vector<std::int64_t> by_domain{};
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
    const std::size_t number = counts.topology.find(*domain);
    const std::int64_t count = number == detail::Topology::no_domain ? 0 : counts.by_domain[number];
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
  std::map<std::string, std::size_t, std::less<>> numbers;  // of nodes, by name
  for (std::size_t number = 0; number < nodes.size(); ++number) {
    const Node& node = nodes[number];
    numbers.try_emplace(node.metadata.name, 0).first->second = number;
    if (!detail::has_keys(node, impl.constraints)) continue;
    for (detail::SpreadCounts& counts : impl.constraints) {
      const detail::SpreadConstraint& constraint = counts.constraint;
      if (constraint.honors_affinity && !affinity.matches(node)) continue;
      if (constraint.honors_taints && !tolerates_all(pod.spec.tolerations, node.spec.taints))
        continue;
      counts.topology.add(number, *find_label(node.metadata.labels, constraint.key));
    }
  }
  for (detail::SpreadCounts& counts : impl.constraints)
    counts.by_domain.resize(counts.topology.size());
  for (const Pod& bound : pods) {
    const auto on = numbers.find(bound.spec.node_name);
    if (on == numbers.end() || !detail::is_spread(bound) ||
        namespace_of(bound.metadata) != namespace_of(pod.metadata))
      continue;
    for (detail::SpreadCounts& counts : impl.constraints) {
      const std::size_t domain = counts.topology.domain_of(on->second);
      if (domain != detail::Topology::no_domain && counts.constraint.selector)
        counts.by_domain[domain] += counts.constraint.matcher.matches(bound.metadata.labels);
    }
  }
  for (detail::SpreadCounts& counts : impl.constraints) {
    const auto emptiest = std::min_element(counts.by_domain.begin(), counts.by_domain.end());
    counts.lowest = counts.constraint.lowest(counts.by_domain.size(),
                                             emptiest == counts.by_domain.end() ? 0 : *emptiest);
  }
  TopologySpread spread;
  spread.impl_ = Shared<TopologySpread::Impl>(std::move(impl));
  return spread;
}

}  // namespace SCHEDPOL_NAMESPACE
