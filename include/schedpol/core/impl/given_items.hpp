// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The number of items that policies and classes give to one pod, as `max_given_items` counts them.

#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/scheduling_criteria.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

/// The items of each sort. An empty term is one, too.
inline std::size_t given_items(const NodeSelectorTerm& term) noexcept {
  return std::max<std::size_t>(term.match_expressions.size() + term.match_fields.size(), 1);
}
inline std::size_t given_items(const Affinity& affinity) noexcept {
  std::size_t items = 0;
  if (const auto& node = affinity.node_affinity) {
    if (const auto& required = node->required_during_scheduling_ignored_during_execution)
      for (const NodeSelectorTerm& term : required->node_selector_terms) items += given_items(term);
    for (const auto& preferred : node->preferred_during_scheduling_ignored_during_execution)
      items += given_items(preferred.preference);
  }
  for (const auto* pods : {&affinity.pod_affinity, &affinity.pod_anti_affinity})
    if (*pods)
      items += (*pods)->required_during_scheduling_ignored_during_execution.size() +
               (*pods)->preferred_during_scheduling_ignored_during_execution.size();
  return items;
}

/// What criteria give to a pod; one where that is nothing. `Criteria` are a policy's spec, or
/// `SchedulingCriteria`.
template <class Criteria>
[[nodiscard]] std::size_t given_items(const Criteria& criteria) noexcept {
  std::size_t items = criteria.node_selector.size() + criteria.tolerations.size();
  if constexpr (requires { criteria.affinity; }) {
    items += (criteria.node_name.empty() ? 0 : 1) + (criteria.scheduler_name.empty() ? 0 : 1);
    if (criteria.affinity) items += given_items(*criteria.affinity);
  }
  return std::max<std::size_t>(items, 1);
}

/// What is wrong where somebody gives so many items.
[[nodiscard]] inline FieldError too_many_injected(FieldPath field, std::size_t items) {
  return {ErrorType::too_many, std::move(field), std::to_string(items),
          "a pod is given at most " + std::to_string(max_given_items) +
              " items by policies and its class, and these are " + std::to_string(items)};
}
template <class Criteria>
void validate_given_items(FieldErrors& errors, const PathBuilder& at, const Criteria& criteria) {
  const std::size_t items = given_items(criteria);
  if (items > max_given_items) errors.add(too_many_injected(at.path(), items));
}

/// The denial of a pod that these give more than a limit.
[[nodiscard]] inline Violation limit_exceeded(FieldPath field, const FieldError& error,
                                              Names policies) {
  return {.code = ViolationCode::limit_exceeded,
          .field = std::move(field),
          .value = error.bad_value,
          .policies = std::move(policies),
          .detail = error.detail};
}

}  // namespace SCHEDPOL_NAMESPACE::detail
