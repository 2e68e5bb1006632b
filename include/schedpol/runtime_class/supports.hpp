// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a node supports a RuntimeClass: the node has the labels of the class's node selector.
/// Taints do not count, because the class adds the tolerations that its pods need. Source: the
/// RuntimeClass scheduling proposal, "Labeling Nodes".

#include <schedpol/core/node.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Whether a node supports a class, and if not, the class's labels that are missing on the node or have
/// another value.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// Every node supports a class without a node selector.
[[nodiscard]] Support supports(const RuntimeClass& runtime_class, const Node& node);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/supports.ipp>
#endif
