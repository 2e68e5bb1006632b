// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The terms of one kind of affinity on one line: `required A | B, preferred 5 C`.

#include <schedpol/core/affinity.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// The part of a term that is more than its weight.
inline const NodeSelectorTerm& part_of(const NodeSelectorTerm& term) noexcept {
  return term;
}
inline const NodeSelectorTerm& part_of(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const PodAffinityTerm& part_of(const PodAffinityTerm& term) noexcept {
  return term;
}
inline const PodAffinityTerm& part_of(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term;
}

template <class Required, class Preferred>
std::string affinity_text(const std::vector<Required>& required,
                          const std::vector<Preferred>& preferred) {
  std::string text;
  for (const Required& term : required)
    text += (text.empty() ? "required " : " | ") + to_string(term);
  for (const Preferred& term : preferred) {
    if (!text.empty()) text += ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(part_of(term));
  }
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
