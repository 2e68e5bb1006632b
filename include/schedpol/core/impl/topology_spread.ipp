// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/match_label_keys.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/topology_spread.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// A constraint that says DoNotSchedule.
struct SpreadConstraint {
  std::size_t index = 0;
  std::string key{};
  std::int64_t max_skew = 0;
  std::size_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
  bool counts_pods = false;  ///< rule 2: not for `{}`
  LabelMatcher selector{};
  std::int64_t itself = 0;                                    ///< 1 where the pod itself matches
  std::map<std::string, std::int64_t, std::less<>> counts{};  ///< by domain
  std::int64_t lowest = 0;

  void count_lowest() {
    lowest = 0;
    if (counts.empty() || counts.size() < min_domains) return;
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    lowest = std::min_element(counts.begin(), counts.end(), fewer)->second;
  }
};

/// What is wrong with its selector goes to `errors`.
inline SpreadConstraint spread_constraint(const TopologySpreadConstraint& from, std::size_t index,
                                          const Pod& pod, FieldErrors& errors) {
  std::optional<LabelSelector> selector = from.label_selector;
  add_label_keys(selector, from.match_label_keys, LabelSelectorOperator::in, pod.metadata.labels);
  const FieldPath field = field_path(pod.kind, {"spec", "topologySpreadConstraints"});
  auto matcher = compile(selector, field.index(index).child("labelSelector"));
  SpreadConstraint constraint;
  constraint.index = index;
  constraint.key = from.topology_key;
  constraint.max_skew = from.max_skew;
  constraint.min_domains = static_cast<std::size_t>(std::max(from.min_domains.value_or(1), 1));
  constraint.honors_affinity = from.node_affinity_policy == NodeInclusionPolicy::unset ||
                               from.node_affinity_policy == NodeInclusionPolicy::honor;
  constraint.honors_taints = from.node_taints_policy == NodeInclusionPolicy::honor;
  constraint.counts_pods =
      selector && !(selector->match_labels.empty() && selector->match_expressions.empty());
  errors.add_compiled(matcher);
  if (!matcher) return constraint;
  constraint.selector = *std::move(matcher);
  constraint.itself = constraint.selector.matches(pod.metadata.labels) ? 1 : 0;
  return constraint;
}

inline bool is_counted(const Pod& pod, const Pod& for_pod) noexcept {
  return namespace_of(pod.metadata) == namespace_of(for_pod.metadata) &&
         pod.metadata.deletion_timestamp.empty() && !is_terminal(pod);
}

inline bool has_keys(const Node& node, const std::vector<SpreadConstraint>& constraints) noexcept {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& c) {
    return find_label(node.metadata.labels, c.key) != nullptr;
  });
}

/// Pods by the node that they are bound to.
using PodsByNode = std::unordered_map<std::string_view, std::vector<const Pod*>>;

inline void count_node(std::vector<SpreadConstraint>& constraints, const Pod& pod,
                       const NodeAffinityMatcher& affinity, const Node& node,
                       const std::vector<const Pod*>& pods) {
  for (SpreadConstraint& constraint : constraints) {
    if (constraint.honors_affinity && !affinity.matches(node)) continue;
    if (constraint.honors_taints && !tolerates_all(pod.spec.tolerations, node.spec.taints))
      continue;
    std::int64_t& count = constraint.counts[*find_label(node.metadata.labels, constraint.key)];
    if (!constraint.counts_pods) continue;
    for (const Pod* bound : pods) count += constraint.selector.matches(bound->metadata.labels);
  }
}

}  // namespace detail

struct TopologySpread::Impl {
  std::vector<detail::SpreadConstraint> constraints;
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
  for (const detail::SpreadConstraint& constraint : impl_->constraints) {
    const std::string* domain = find_label(node.metadata.labels, constraint.key);
    if (domain == nullptr) return {SpreadReason::missing_label, constraint.index, 0};
    const auto found = constraint.counts.find(*domain);
    const std::int64_t count = found == constraint.counts.end() ? 0 : found->second;
    const std::int64_t skew = count + constraint.itself - constraint.lowest;
    if (skew > constraint.max_skew) return {SpreadReason::skew, constraint.index, skew};
  }
  return {};
}

SCHEDPOL_INLINE Result<TopologySpread> topology_spread(const Pod& pod, std::span<const Node> nodes,
                                                       std::span<const Pod> pods) {
  TopologySpread::Impl impl;
  detail::FieldErrors errors;
  const auto& listed = pod.spec.topology_spread_constraints;
  for (std::size_t i = 0; i < listed.size(); ++i) {
    if (listed[i].when_unsatisfiable == WhenUnsatisfiable::do_not_schedule)
      impl.constraints.push_back(detail::spread_constraint(listed[i], i, pod, errors));
  }
  if (!errors.empty()) return std::move(errors).take();
  if (impl.constraints.empty()) return TopologySpread();
  detail::PodsByNode on;
  for (const Pod& bound : pods) {
    if (detail::is_counted(bound, pod)) on[bound.spec.node_name].push_back(&bound);
  }
  const NodeAffinityMatcher affinity(pod.spec);
  for (const Node& node : nodes) {
    if (detail::has_keys(node, impl.constraints))
      detail::count_node(impl.constraints, pod, affinity, node, on[node.metadata.name]);
  }
  for (detail::SpreadConstraint& constraint : impl.constraints) constraint.count_lowest();
  TopologySpread spread;
  spread.impl_ = Shared<TopologySpread::Impl>(std::move(impl));
  return spread;
}

}  // namespace SCHEDPOL_NAMESPACE
