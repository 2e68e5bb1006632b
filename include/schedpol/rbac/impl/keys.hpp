// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/shared_map.hpp>
#include <schedpol/rbac/rbac.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace schedpol::rbac::detail {

using schedpol::detail::MapKey;
using schedpol::detail::MapKeyView;
using schedpol::detail::SharedMap;

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string("system:serviceaccount:").append(namespace_).append(":").append(name);
}

// The kinds of keys. What is of the cluster has no namespace.
inline constexpr char role_kind = 'r';
inline constexpr char binding_kind = 'b';
inline constexpr char user_kind = 'u';  ///< service accounts are told by their users
inline constexpr char group_kind = 'g';

/// Whom a binding is for, and where: nothing for a subject that is nobody.
inline std::optional<MapKey> key_of(const Subject& subject, const std::string& binding_namespace) {
  if (subject.name.empty()) return std::nullopt;
  if (subject.kind == "User") return MapKey{user_kind, binding_namespace, subject.name};
  if (subject.kind == "Group") return MapKey{group_kind, binding_namespace, subject.name};
  if (subject.kind != "ServiceAccount") return std::nullopt;
  const std::string& in = subject.namespace_.empty() ? binding_namespace : subject.namespace_;
  if (in.empty()) return std::nullopt;
  return MapKey{user_kind, binding_namespace, service_account_user_name(in, subject.name)};
}

/// The role that a binding of the namespace grants; nothing where there can be none.
inline std::optional<MapKeyView> key_of(const RoleRef& role, std::string_view namespace_) {
  if (role.kind == "ClusterRole") return MapKeyView{role_kind, {}, role.name};
  if (role.kind == "Role" && !namespace_.empty())
    return MapKeyView{role_kind, namespace_, role.name};
  return std::nullopt;
}

inline bool lists(const Texts& texts, std::string_view text) noexcept {
  return texts.contains(text) || texts.contains("*");
}

}  // namespace schedpol::rbac::detail
