// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The owner of a pod, as far as the known workloads tell: the workload whose template made the pod, and
/// the outermost controller, by which people know the pod.
///
/// 1. An object belongs to its controller, in its own namespace.
/// 2. A workload is found by kind, group and name. An owner without an API version can be in any group.
///    If two workloads have the same name, the first counts.
/// 3. A ReplicaSet that is not among the objects belongs to a Deployment if its pod has the label
///    `pod-template-hash` and the name of the ReplicaSet ends with its value. The Deployment controller
///    names ReplicaSets this way. The template is then the Deployment's current one.
/// 4. Controllers are followed for `max_owner_levels` steps, so a cycle comes to an end.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// The owner of an object: its controller, or the object itself.
struct Owner {
  std::string kind{};
  std::string namespace_{};
  std::string name{};

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// The owner reference of the object's controller; null if it has none. Valid as long as the object.
[[nodiscard]] const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept;
const OwnerReference* controller_of(const ObjectMeta&& metadata) = delete;

/// Finds owners among the workloads of a cluster.
class Owners {
 public:
  /// No known workloads: pods belong to the controller that they name.
  Owners() = default;
  /// Uses these objects, which must outlive this and not move. Pods among them own nothing.
  explicit Owners(std::span<const Pod> objects);
  explicit Owners(std::vector<Pod>&& objects) = delete;

  /// The workload whose template made the pod; null if it is not among the objects.
  [[nodiscard]] const Pod* template_of(const Pod& pod) const;

  /// The outermost known controller.
  [[nodiscard]] Owner outermost_of(const Pod& object) const;

 private:
  /// Kind, namespace and name.
  using Key = std::pair<PodKind, std::pair<std::string_view, std::string_view>>;

  [[nodiscard]] const Pod* find(const OwnerReference& owner, std::string_view in) const;

  std::map<Key, const Pod*> workloads_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/owners.ipp>
#endif
