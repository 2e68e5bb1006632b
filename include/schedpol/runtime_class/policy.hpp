// SPDX-License-Identifier: Apache-2.0
#pragma once

/// RuntimeClass (node.k8s.io/v1): a container runtime that pods ask for by name, the overhead of its
/// pods, and the nodes that support it. `admit` decides what a pod takes over from its class. Source:
/// the RuntimeClass scheduling proposal, "API".

#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// What pods of the class need in addition to their containers. Without resources there is no overhead.
struct Overhead {
  ResourceList pod_fixed{};

  friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// The nodes that support the class, and the taints that its pods tolerate there.
struct Scheduling {
  Labels node_selector{};
  std::vector<Toleration> tolerations{};

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

/// Cluster-scoped. `handler` is the name of the runtime on the nodes; no decision depends on it.
struct RuntimeClass {
  ObjectMeta metadata{};
  std::string handler{};
  std::optional<Overhead> overhead{};
  std::optional<Scheduling> scheduling{};

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
