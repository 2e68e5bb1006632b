// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What every Kubernetes object says of itself (meta/v1 ObjectMeta), as far as policies look at it.

#include <schedpol/core/labels.hpp>

namespace SCHEDPOL_NAMESPACE {

/// An object that another one belongs to.
struct OwnerReference {
  std::string api_version{};
  std::string kind{};
  std::string name{};
  bool controller = false;  ///< keeps it as it wants it; at most one owner does

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// `namespace_` is empty for cluster-scoped objects, and where the author left it out (`namespace_of`).
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

/// An object as it was before an update. A type of its own, so that what was and what will be cannot take
/// each other's place.
template <class T>
class Old {
 public:
  Old() = default;
  explicit Old(T was) : object(std::move(was)) {}  ///< What was.

  T object{};  ///< as it was

  friend bool operator==(const Old&, const Old&) = default;
};

/// A Namespace: what policies that select namespaces look at.
struct Namespace {
  ObjectMeta metadata{};

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

/// Where an object of a namespaced kind is that names no namespace, as kubectl and a client without
/// one put it.
inline constexpr std::string_view default_namespace = "default";

/// The namespace of that name, or `default` where that is empty: nothing that stands in a namespace
/// escapes the policies of all of them.
[[nodiscard]] constexpr std::string_view namespace_or_default(std::string_view name) noexcept {
  return name.empty() ? default_namespace : name;
}

/// The namespace that an object of a namespaced kind is in; valid as long as the object is.
[[nodiscard]] inline std::string_view namespace_of(const ObjectMeta& metadata) noexcept {
  return namespace_or_default(metadata.namespace_);
}
std::string_view namespace_of(const ObjectMeta&& metadata) = delete;
/// The name of a namespace; of one without a name `default`.
[[nodiscard]] inline std::string_view namespace_of(const Namespace& in) noexcept {
  return namespace_or_default(in.metadata.name);
}
std::string_view namespace_of(const Namespace&& in) = delete;

}  // namespace SCHEDPOL_NAMESPACE
