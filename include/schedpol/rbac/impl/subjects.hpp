// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whom a binding is for: a user or a group, and the service accounts that are it or in it.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/rbac/usable.hpp>

namespace SCHEDPOL_NAMESPACE::rbac::detail {

using schedpol::detail::MapKey;
using schedpol::detail::MapKeyView;

inline constexpr const char* rbac_group = "rbac.authorization.k8s.io";

// Source: Kubernetes, `apiserver/pkg/authentication/serviceaccount` and `user`.
inline constexpr std::string_view account_user = "system:serviceaccount:";
inline constexpr const char* accounts_group = "system:serviceaccounts";
inline constexpr std::string_view accounts_of_namespace_group = "system:serviceaccounts:";
inline constexpr const char* authenticated_group = "system:authenticated";

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string(account_user).append(namespace_).append(":").append(name);
}

// The kinds of a subject's key, which has the namespace of the binding and the subject's name.
inline constexpr char user_kind = 'u';  ///< a service account has that of its user
inline constexpr char group_kind = 'g';

/// Whom a binding is for, and where: nothing for a subject that is nobody.
inline std::optional<MapKey> subject_key(const Subject& subject,
                                         const std::string& binding_namespace) {
  if (subject.name.empty()) return std::nullopt;
  if (subject.kind == "User") return MapKey{user_kind, binding_namespace, subject.name};
  if (subject.kind == "Group") return MapKey{group_kind, binding_namespace, subject.name};
  if (subject.kind != "ServiceAccount") return std::nullopt;
  const std::string& in = subject.namespace_.empty() ? binding_namespace : subject.namespace_;
  if (in.empty()) return std::nullopt;
  return MapKey{user_kind, binding_namespace, service_account_user_name(in, subject.name)};
}

/// Adds the service accounts that a binding grants something to because of the subject.
inline void add_accounts_of_subject(std::vector<ServiceAccounts>& accounts, const MapKey& subject) {
  const std::string& binding_namespace = subject.first;
  const auto add = [&](std::string_view in, std::optional<std::string> name) {
    if (binding_namespace.empty() || binding_namespace == in)
      accounts.push_back({std::string(in), std::move(name)});
  };
  std::string_view rest = subject.second;
  if (subject.kind == user_kind && rest.starts_with(account_user)) {
    rest.remove_prefix(account_user.size());
    // Namespaces and names have no colons, but nobody has looked at those of a pod.
    for (std::size_t at = rest.find(':'); at < rest.size(); at = rest.find(':', at + 1))
      add(rest.substr(0, at), std::string(rest.substr(at + 1)));
  } else if (subject.kind == group_kind && rest.starts_with(accounts_of_namespace_group)) {
    add(rest.substr(accounts_of_namespace_group.size()), std::nullopt);
  } else if (subject.kind == group_kind &&
             (rest == accounts_group || rest == authenticated_group)) {
    if (binding_namespace.empty()) {
      accounts.emplace_back();
    } else {
      add(binding_namespace, std::nullopt);
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::rbac::detail
