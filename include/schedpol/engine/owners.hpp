// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whose a pod is, as far as the workloads of a cluster tell: the workload by whose template its
/// controller made it, and the outermost controller, by which people know it.
///
/// 1. An object belongs to the owner that is its controller, in its own namespace.
/// 2. A workload is found by kind, group and name; an owner without an API version is of whichever
///    group. Of two of one name the first counts.
/// 3. A ReplicaSet that is not among the objects is its Deployment's where its pod has the label
///    `pod-template-hash` and the ReplicaSet's name ends with that: the Deployment controller calls it
///    so. The template is then the Deployment's, which may be a newer one.
/// 4. Controllers are followed `max_owner_levels` steps, so who controls himself comes to an end.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// What an object belongs to: its controller, or itself.
struct Owner {
  std::string kind{};
  std::string namespace_{};
  std::string name{};

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// The owner that keeps the object as it wants it; null where none does. Valid as long as the object.
[[nodiscard]] const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept;
const OwnerReference* controller_of(const ObjectMeta&& metadata) = delete;

/// Finds owners among the workloads of a cluster.
class Owners {
 public:
  /// There is no workload: pods belong to what they name.
  Owners() = default;
  /// Of these objects, which have to stay where they are; pods among them own nothing.
  explicit Owners(std::span<const Pod> objects);
  explicit Owners(std::vector<Pod>&& objects) = delete;

  /// The workload by whose template the pod was made; null where that is not among the objects.
  [[nodiscard]] const Pod* template_of(const Pod& pod) const;

  /// The outermost controller that is known of.
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
