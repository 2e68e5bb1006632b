// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods by namespace and name.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// The key of a pod, of whatever has its namespace and name. One without a namespace is in `default`.
template <class Named>
[[nodiscard]] MapKeyView pod_key(const Named& pod) noexcept {
  return {0, namespace_or_default(pod.namespace_), pod.name};
}

/// Of small values for very many pods; others are in a `PersistentMap`.
template <class T>
using ByPod = std::map<MapKey, T, MapKeyOrder>;

}  // namespace SCHEDPOL_NAMESPACE::detail
