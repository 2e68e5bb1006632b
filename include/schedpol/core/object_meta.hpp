// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The metadata of every Kubernetes object (meta/v1 ObjectMeta), as far as policies need it.

#include <schedpol/core/labels.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A reference from an object to its owner.
struct OwnerReference {
  std::string api_version{};
  std::string kind{};
  std::string name{};
  bool controller = false;  ///< whether the owner manages the object; at most one owner does

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// `namespace_` is empty for cluster-scoped objects, and if the author left it out (see `namespace_of`).
struct ObjectMeta {
  std::string name{};
  std::string namespace_{};
  std::string uid{};  ///< differs from that of any earlier or later object of the same name
  Labels labels{};
  Labels annotations{};
  std::string deletion_timestamp{};  ///< not empty: the object is being deleted
  std::vector<OwnerReference> owner_references{};

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// An object as it was before an update. This is a type of its own, so that a caller cannot mix up the
/// old and the new object.
template <class T>
class Old {
 public:
  Old() = default;
  explicit Old(T was) : object(std::move(was)) {}  ///< the object before the update

  T object{};  ///< the object before the update

  friend bool operator==(const Old&, const Old&) = default;
};

/// A Namespace, for policies that select namespaces.
struct Namespace {
  ObjectMeta metadata{};

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

/// The namespace of a namespaced object that names none: kubectl and other clients put such an object
/// there.
inline constexpr std::string_view default_namespace = "default";

/// The name, or `default` if the name is empty. So an object that names no namespace does not escape
/// the policies of a namespace.
[[nodiscard]] constexpr std::string_view namespace_or_default(std::string_view name) noexcept {
  return name.empty() ? default_namespace : name;
}

/// The namespace of a namespaced object; valid as long as the object.
[[nodiscard]] inline std::string_view namespace_of(const ObjectMeta& metadata) noexcept {
  return namespace_or_default(metadata.namespace_);
}
std::string_view namespace_of(const ObjectMeta&& metadata) = delete;
/// The name of a namespace, or `default` if it has none.
[[nodiscard]] inline std::string_view namespace_of(const Namespace& in) noexcept {
  return namespace_or_default(in.metadata.name);
}
std::string_view namespace_of(const Namespace&& in) = delete;

}  // namespace SCHEDPOL_NAMESPACE
