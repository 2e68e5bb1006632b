// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass (node.k8s.io/v1): the container runtime that a pod asks for by name, what pods of
/// it need besides their containers, and which nodes support it. What a pod takes over from its
/// class is decided by `admit`. Source: the RuntimeClass scheduling proposal, "API".

#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// What pods of the class need besides their containers. Without resources it is none.
struct Overhead {
  ResourceList pod_fixed{};

  friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// Which nodes support the class, and the taints its pods tolerate there.
struct Scheduling {
  Labels node_selector{};
  std::vector<Toleration> tolerations{};

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

/// Cluster-scoped; `handler` is the runtime's name on the nodes, which nothing here looks at.
struct RuntimeClass {
  ObjectMeta metadata{};
  std::string handler{};
  std::optional<Overhead> overhead{};
  std::optional<Scheduling> scheduling{};

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
