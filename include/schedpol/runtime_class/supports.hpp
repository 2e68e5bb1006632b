// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a node supports a RuntimeClass: it carries the labels of the class's node selector.
/// Taints are no part of it; the class's pods tolerate those that its tolerations name. Source: the
/// RuntimeClass scheduling proposal, "Labeling Nodes".

#include <schedpol/core/node.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Whether a node supports a class, and if not, which of the class's labels it lacks or has
/// otherwise.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// A class without a node selector is supported by every node.
[[nodiscard]] Support supports(const RuntimeClass& runtime_class, const Node& node);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/supports.ipp>
#endif
