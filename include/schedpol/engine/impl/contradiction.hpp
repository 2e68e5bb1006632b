// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether any node can meet what several systems made of a pod. Defaults and policies leave out what
/// contradicts the pod. A RuntimeClass does not, and the numbers in a PodSchedulingPolicy are not
/// compared. A pod that no node can meet is still allowed, because each system permits it, and stays
/// pending; its creator gets a warning.

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/impl/conjunction.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/engine/engine.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A pair of the node selector that an expression of the term excludes; null where there is none.
[[nodiscard]] inline const Labels::value_type* excluded_pair(const Labels& node_selector,
                                                             const NodeSelectorTerm& term) {
  for (const NodeSelectorRequirement& expression : term.match_expressions) {
    const auto pair = node_selector.find(expression.key);
    if (pair != node_selector.end() && schedpol::detail::excludes(expression, pair->second))
      return &*pair;
  }
  return nullptr;
}

/// Whether a node can meet what a pod requires of nodes.
[[nodiscard]] inline bool can_match_a_node(const PodSpec& spec) {
  const std::vector<NodeSelectorTerm>& terms = schedpol::detail::required_terms(spec.affinity);
  return terms.empty() || schedpol::detail::any_of(terms, [&](const NodeSelectorTerm& term) {
           return schedpol::detail::can_match_a_node(term, spec.node_selector);
         });
}

/// A pair that keeps a required term from being met by any node, where none of the terms can be
/// met; null where there is none.
[[nodiscard]] inline const Labels::value_type* excluded_pair(const PodSpec& spec) {
  const Labels::value_type* found = nullptr;
  for (const NodeSelectorTerm& term : schedpol::detail::required_terms(spec.affinity))
    if (found == nullptr) found = excluded_pair(spec.node_selector, term);
  return found != nullptr && !can_match_a_node(spec) ? found : nullptr;
}

/// Whether a path leads to a place, or below it.
[[nodiscard]] inline bool is_below(FieldPath path, const FieldPath& place) {
  while (!path.empty()) {
    if (path == place) return true;
    path = path.parent();
  }
  return false;
}

/// Whether any of the terms compares numbers.
[[nodiscard]] inline bool compare_numbers(const std::vector<NodeSelectorTerm>& terms) {
  return schedpol::detail::any_of(terms, [](const NodeSelectorTerm& term) {
    return schedpol::detail::any_of(
        term.match_expressions, [](const NodeSelectorRequirement& expression) {
          return schedpol::detail::compares_numbers(expression.operator_.word());
        });
  });
}

/// Of an allowed pod that no node can meet, although some could have met it as it came: what the
/// systems that enforce put into it to that end.
[[nodiscard]] inline std::optional<Warning> contradiction_warning(const PodSpec& before,
                                                                  const Decision& decision) {
  const Pod& pod = decision.pod;
  // A PodSchedulingPolicy leaves out what would contradict the pod, but for numbers.
  const bool may_contradict =
      compare_numbers(schedpol::detail::required_terms(pod.spec.affinity)) ||
      schedpol::detail::any_of(decision.steps, [](const StepDecision& decided) {
        return decided.step.mode == Mode::enforce && !decided.changes.empty() &&
               decided.step.system != System::pod_scheduling_policy;
      });
  if (!may_contradict ||
      (before.node_selector == pod.spec.node_selector && before.affinity == pod.spec.affinity))
    return std::nullopt;
  const Labels::value_type* const pair = excluded_pair(pod.spec);
  if (pair == nullptr || !can_match_a_node(before)) return std::nullopt;
  const FieldPath key = field_path(pod.kind, {"spec", "nodeSelector"}).key(pair->first);
  const FieldPath affinity = field_path(pod.kind, {"spec", "affinity"});
  std::vector<std::string> policies;
  for (const StepDecision& decided : decision.steps) {
    if (decided.step.mode != Mode::enforce) continue;
    for (const Change& change : decided.changes) {
      if (change.policy.empty() || !(change.field == key || is_below(change.field, affinity)))
        continue;
      if (!schedpol::detail::contains(policies, change.policy)) policies.push_back(change.policy);
    }
  }
  return Warning{key,
                 "no node has " + in_backticks(pair->first + "=" + pair->second) +
                     " and what the required node affinity asks for",
                 std::move(policies)};
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
