// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What every Kubernetes object says of itself (meta/v1 ObjectMeta), as far as policies look at it.

#include <schedpol/core/labels.hpp>

#include <string>
#include <vector>

namespace schedpol {

/// An object that another one belongs to.
struct OwnerReference {
  std::string api_version{};
  std::string kind{};
  std::string name{};
  bool controller = false;  ///< keeps it as it wants it; at most one owner does

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// `namespace_` is empty for cluster-scoped objects, and where the author left it out.
struct ObjectMeta {
  std::string name{};
  std::string namespace_{};
  std::string uid{};  ///< tells it from another object of its name, before or after it
  Labels labels{};
  Labels annotations{};
  std::string deletion_timestamp{};  ///< not empty: the object is being deleted
  std::vector<OwnerReference> owner_references{};

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

}  // namespace schedpol
