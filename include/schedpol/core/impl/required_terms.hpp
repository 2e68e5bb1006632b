// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The node selector terms of which a node must meet one; nothing if there is no such list.

#include <schedpol/core/affinity.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

inline const std::vector<NodeSelectorTerm>& required_terms(const NodeAffinity& affinity) noexcept {
  static const std::vector<NodeSelectorTerm> none;
  const auto& required = affinity.required_during_scheduling_ignored_during_execution;
  return required ? required->node_selector_terms : none;
}

inline const std::vector<NodeSelectorTerm>& required_terms(
    const std::optional<Affinity>& affinity) noexcept {
  static const NodeAffinity none;
  return required_terms(affinity && affinity->node_affinity ? *affinity->node_affinity : none);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
