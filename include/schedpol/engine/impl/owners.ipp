// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/workload_kind.hpp>
#include <schedpol/engine/owners.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The name of the Deployment of a ReplicaSet (rule 3); empty where that is not told.
inline std::string_view deployment_of(const OwnerReference& replica_set, const Labels& of_pod) {
  if (workload_kind(replica_set) != PodKind::replica_set) return {};
  const std::string* const hash = find_label(of_pod, "pod-template-hash");
  std::string_view name = replica_set.name;
  if (hash == nullptr || hash->empty() || !name.ends_with(*hash)) return {};
  name.remove_suffix(hash->size());
  if (!name.ends_with('-')) return {};
  name.remove_suffix(1);
  return name;
}

}  // namespace detail

SCHEDPOL_INLINE const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept {
  for (const OwnerReference& owner : metadata.owner_references)
    if (owner.controller) return &owner;
  return nullptr;
}

SCHEDPOL_INLINE Owners::Owners(std::span<const Pod> objects) {
  for (const Pod& object : objects) {
    if (object.kind == PodKind::pod) continue;
    const ObjectMeta& metadata = object.metadata;
    workloads_.try_emplace(Key(object.kind, {namespace_of(metadata), metadata.name}), &object);
  }
}

SCHEDPOL_INLINE const Pod* Owners::find(const OwnerReference& owner, std::string_view in) const {
  const std::optional<PodKind> kind = detail::workload_kind(owner);
  if (!kind) return nullptr;
  const auto found = workloads_.find({*kind, {in, owner.name}});
  return found == workloads_.end() ? nullptr : found->second;
}

SCHEDPOL_INLINE const Pod* Owners::template_of(const Pod& pod) const {
  const OwnerReference* const controller = controller_of(pod.metadata);
  if (controller == nullptr) return nullptr;
  const std::string_view in = namespace_of(pod.metadata);
  if (const Pod* const found = find(*controller, in)) return found;
  const std::string_view name = detail::deployment_of(*controller, pod.metadata.labels);
  if (name.empty()) return nullptr;
  const auto found = workloads_.find({PodKind::deployment, {in, name}});
  return found == workloads_.end() ? nullptr : found->second;
}

SCHEDPOL_INLINE Owner Owners::outermost_of(const Pod& object) const {
  Owner owner{std::string(to_string(object.kind)), object.metadata.namespace_,
              object.metadata.name};
  const std::string_view in = namespace_of(object.metadata);
  const Pod* at = &object;
  for (int step = 0; step < max_owner_levels && at != nullptr; ++step) {
    const OwnerReference* const controller = controller_of(at->metadata);
    if (controller == nullptr) break;
    owner.kind = controller->kind;
    owner.name = controller->name;
    const Pod* next = find(*controller, in);
    if (next == nullptr) {
      if (const auto name = detail::deployment_of(*controller, at->metadata.labels);
          !name.empty()) {
        owner.kind = to_string(PodKind::deployment);
        owner.name = name;
        const auto found = workloads_.find({PodKind::deployment, {in, name}});
        if (found != workloads_.end()) next = found->second;
      }
    }
    at = next;
  }
  return owner;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
