// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The terms of one kind of affinity on one line: `required A | B, preferred 5 C`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/node_selector.hpp>

#include <span>
#include <string>

namespace SCHEDPOL_NAMESPACE::detail {

/// The term that a preferred one is made of.
inline const NodeSelectorTerm& preferred_part(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const PodAffinityTerm& preferred_part(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term;
}

template <class Required, class Preferred>
std::string affinity_text(std::span<const Required> required,
                          std::span<const Preferred> preferred) {
  std::string text;
  for (const Required& term : required)
    text += (text.empty() ? "required " : " | ") + to_string(term);
  for (const Preferred& term : preferred) {
    if (!text.empty()) text += ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(preferred_part(term));
  }
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
