// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kind of workload in an owner reference.

#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/workload.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The kind of workload that an owner is; nothing where it is none.
inline std::optional<PodKind> workload_kind(const OwnerReference& owner) noexcept {
  const std::optional<PodKind> kind = pod_kind(owner.kind);
  if (!kind || *kind == PodKind::pod) return std::nullopt;
  const bool is_of_group =
      owner.api_version.empty() || is_in_group(*kind, api_group(owner.api_version));
  return is_of_group ? kind : std::nullopt;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
