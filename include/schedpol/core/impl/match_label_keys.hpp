// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Adds the label keys of a pod affinity term or a topology spread constraint to its label
/// selector.

#include <schedpol/core/label_selector.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// Adds an expression for each of the keys that the pod has, with the pod's value. An absent selector
/// stays absent.
inline void add_label_keys(std::optional<LabelSelector>& selector, const Texts& keys,
                           LabelSelectorOperator operator_, const Labels& of_pod) {
  if (!selector) return;
  for (const std::string& key : keys) {
    if (const std::string* value = find_label(of_pod, key))
      selector->match_expressions.push_back({key, operator_, {*value}});
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail
