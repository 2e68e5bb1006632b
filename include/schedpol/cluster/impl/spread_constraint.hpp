// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A topology spread constraint compiled for counting: rule 2 of `cluster/bound_pods.hpp` for a pod or node.

#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/core/impl/match_label_keys.hpp>
#include <schedpol/core/pod.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

/// A constraint that says DoNotSchedule.
struct SpreadConstraint {
  std::string key{};
  std::int64_t max_skew = 0;
  std::size_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
  std::optional<LabelSelector> selector{};  ///< with the label keys; none where it counts nobody
  LabelMatcher matcher{};
  std::int64_t itself = 0;  ///< 1 where the pod itself matches

  /// What skew is measured from, where the emptiest of so many domains has so many pods.
  [[nodiscard]] std::int64_t lowest(std::size_t domains, std::int64_t emptiest) const noexcept {
    return domains < min_domains ? 0 : emptiest;
  }
};

/// Those of a pod. What is wrong with their selectors goes to `errors`.
inline std::vector<SpreadConstraint> spread_constraints(const Pod& pod, FieldErrors& errors) {
  std::vector<SpreadConstraint> constraints;
  const auto& listed = pod.spec.topology_spread_constraints;
  for (std::size_t index = 0; index < listed.size(); ++index) {
    const TopologySpreadConstraint& from = listed[index];
    if (from.when_unsatisfiable != WhenUnsatisfiable::do_not_schedule) continue;
    std::optional<LabelSelector> selector = from.label_selector;
    add_label_keys(selector, from.match_label_keys, LabelSelectorOperator::in, pod.metadata.labels);
    const FieldPath field = field_path(pod.kind, {"spec", "topologySpreadConstraints"});
    auto matcher = compile(selector, field.index(index).child("labelSelector"));
    errors.append(matcher.errors());
    if (!matcher) continue;
    SpreadConstraint& constraint = constraints.emplace_back();
    constraint.key = from.topology_key;
    constraint.max_skew = from.max_skew;
    constraint.min_domains = static_cast<std::size_t>(std::max(from.min_domains.value_or(1), 1));
    constraint.honors_affinity = from.node_affinity_policy == NodeInclusionPolicy::unset ||
                                 from.node_affinity_policy == NodeInclusionPolicy::honor;
    constraint.honors_taints = from.node_taints_policy == NodeInclusionPolicy::honor;
    constraint.matcher = *std::move(matcher);
    constraint.itself = constraint.matcher.matches(pod.metadata.labels) ? 1 : 0;
    if (selector && !(selector->match_labels.empty() && selector->match_expressions.empty()))
      constraint.selector = std::move(selector);
  }
  return constraints;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
