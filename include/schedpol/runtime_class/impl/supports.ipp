// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/supports.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

SCHEDPOL_INLINE Support supports(const RuntimeClass& runtime_class, const Node& node) {
  Support support;
  if (runtime_class.scheduling) {
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) support.missing.try_emplace(key, value);
    }
  }
  support.supported = support.missing.empty();
  return support;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
