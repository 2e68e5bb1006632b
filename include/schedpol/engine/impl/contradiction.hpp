// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether what several systems made of a pod can be met by a node: one may give it a node selector
/// and another one required node affinity that asks for something else. It is allowed all the same,
/// because each system permits it, and stays pending; whoever creates it is warned.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/conjunction.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/engine.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A key of the node selector with whose value an expression of the term does not hold; null where
/// there is none. A node that is selected has that value, so the one expression decides.
[[nodiscard]] inline const Labels::value_type* contradicted_pair(const Labels& node_selector,
                                                                 const NodeSelectorTerm& term) {
  for (const NodeSelectorRequirement& expression : term.match_expressions) {
    const auto pair = node_selector.find(expression.key);
    if (pair == node_selector.end()) continue;
    const Node selected{.metadata = {.labels = {{pair->first, pair->second}}}};
    const NodeSelectorTerm alone{.match_expressions = {expression}};
    if (!NodeTermsMatcher({&alone, 1}).matches(selected)) return &*pair;
  }
  return nullptr;
}

/// A pair that keeps a required term from being met by any node, where none of the terms can be
/// met; null where there is none.
[[nodiscard]] inline const Labels::value_type* contradicted_pair(const PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity) return nullptr;
  const auto& required =
      spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required) return nullptr;
  const std::vector<NodeSelectorTerm>& terms = required->node_selector_terms;
  const Labels::value_type* found = nullptr;
  for (const NodeSelectorTerm& term : terms)
    if (found == nullptr) found = contradicted_pair(spec.node_selector, term);
  if (found == nullptr) return nullptr;
  const bool can_be_met = schedpol::detail::any_of(terms, [&](const NodeSelectorTerm& term) {
    return contradicted_pair(spec.node_selector, term) == nullptr &&
           schedpol::detail::can_match_a_node(term);
  });
  return can_be_met ? nullptr : found;
}

/// Whether a path leads to a place, or below it.
[[nodiscard]] inline bool is_below(FieldPath path, const FieldPath& place) {
  while (!path.empty()) {
    if (path == place) return true;
    path = path.parent();
  }
  return false;
}

/// Of an allowed pod that no node can meet, although some could have met it as it came: what the
/// systems that enforce put into it to that end.
[[nodiscard]] inline std::optional<Warning> contradiction(const PodSpec& before,
                                                          const Decision& decision) {
  const Pod& pod = decision.pod;
  // A PodSchedulingPolicy leaves out what would contradict the pod.
  const bool may_contradict =
      schedpol::detail::any_of(decision.steps, [](const StepDecision& said) {
        return said.step.mode == Mode::enforce && !said.changes.empty() &&
               said.step.system != System::pod_scheduling_policy;
      });
  if (!may_contradict ||
      (before.node_selector == pod.spec.node_selector && before.affinity == pod.spec.affinity))
    return std::nullopt;
  const Labels::value_type* const pair = contradicted_pair(pod.spec);
  if (pair == nullptr || contradicted_pair(before) != nullptr) return std::nullopt;
  const FieldPath key = field_path(pod.kind, {"spec", "nodeSelector"}).key(pair->first);
  const FieldPath affinity = field_path(pod.kind, {"spec", "affinity"});
  std::vector<std::string> policies;
  for (const StepDecision& said : decision.steps) {
    if (said.step.mode != Mode::enforce) continue;
    for (const Change& change : said.changes) {
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
