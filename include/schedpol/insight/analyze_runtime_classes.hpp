// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about RuntimeClasses in a cluster with these nodes, although each is valid:
/// 1. NoNodeServes: no node has the labels of the class's node selector, so its pods can run nowhere.
///    Not reported if no nodes are given.

#include <schedpol/core/node.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Findings by the names of the classes. Classes with errors of `validate` are left out. What takes more
/// than `max_insight_steps` is NotDecided: hundreds of classes in a cluster of 5,000 nodes.
[[nodiscard]] std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                           std::span<const Node> nodes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_runtime_classes.ipp>
#endif
