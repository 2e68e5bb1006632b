// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of RuntimeClasses.

#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/impl/changed_policies.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_runtime_classes(const Objects& objects, const Settings&,
                                                    std::span<const Node> nodes) {
  return runtime_class::analyze(objects.runtime_classes, nodes);
}

/// Nodes decide, which are not known here.
inline std::vector<Finding> analyze_changed_runtime_classes(ChangedPolicies&) {
  return {};
}
inline std::size_t runtime_class_texts(const Objects&) {
  return 0;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
