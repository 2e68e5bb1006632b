// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which SchedulingPolicies a user may use: RBAC for the verb `use`.
///
/// 1. A subject of kind User matches by name, a Group by membership, and a ServiceAccount by the user
///    name `system:serviceaccount:NAMESPACE:NAME`. A ServiceAccount without a namespace is in that of
///    its RoleBinding; in a ClusterRoleBinding it matches nobody. A subject without a name, or of any
///    other kind, matches nobody.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants the
///    rules of a Role in its namespace, or of a ClusterRole, only in its own namespace.
/// 3. A binding to a role that does not exist, or to anything but a role, grants nothing. Nor does a
///    ClusterRoleBinding to a Role.
/// 4. A rule applies if it lists the verb, API group and resource (`*` lists all), and lists the
///    policy's name or has empty resourceNames. `*` in resourceNames is a name like any other.
///
/// Source: Kubernetes' RBAC authorizer.

#include <schedpol/core/pod.hpp>
#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// The user of a service account, with its three groups. An empty name is `default`.
[[nodiscard]] User service_account_user(std::string_view namespace_, std::string_view name);

/// The name of the pod's service account, valid as long as the pod: `serviceAccountName`; if that is
/// empty, the deprecated `serviceAccount`; if both are, `default`.
[[nodiscard]] std::string_view account_of(const Pod& pod) noexcept;
std::string_view account_of(const Pod&& pod) = delete;  // the view would outlive the pod

/// The user of the pod: its service account in its namespace.
[[nodiscard]] User user_of(const Pod& pod);

/// What a rule must grant, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group{own_api_group};
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

/// The policies that somebody may use: all, or those with some names, whether or not they exist.
struct Grant {
  bool all = false;
  std::vector<std::string> names{};  ///< in byte order, each once; empty if `all`

  /// Whether the grant includes the policy of this name.
  [[nodiscard]] bool contains(std::string_view policy) const noexcept;

  friend bool operator==(const Grant&, const Grant&) = default;
};

/// The service accounts of a binding: one, all of a namespace, or all.
struct ServiceAccounts {
  std::optional<std::string> namespace_{};  ///< absent: any namespace
  std::optional<std::string> name{};        ///< absent: any name

  friend bool operator==(const ServiceAccounts&, const ServiceAccounts&) = default;
};

/// RBAC objects, compiled for lookup by users and groups. A default-constructed value grants nothing,
/// whatever you add to it.
class CompiledRbac {
 public:
  CompiledRbac() = default;

  /// What `user` may use in `namespace_`. If that is empty, what the user may use everywhere.
  [[nodiscard]] Grant granted(const User& user, std::string_view namespace_) const;

  /// What all of these accounts may use in their namespace, or everywhere if the namespace is absent.
  [[nodiscard]] Grant granted(const ServiceAccounts& accounts) const;

  /// The roles that are bound to `user` in `namespace_` (which may be empty, as in `granted`) and do not
  /// exist. A missing Role is one of that namespace.
  [[nodiscard]] std::vector<RoleRef> missing_roles(const User& user,
                                                   std::string_view namespace_) const;

  /// The service accounts whose grants may change if objects with the names in `rbac` are replaced: the
  /// subjects of a binding with such a name, or of a binding to a role with such a name. In no order and
  /// with possible duplicates.
  [[nodiscard]] std::vector<ServiceAccounts> bound_accounts(const Rbac& rbac) const;

  /// These objects and those in `rbac`, which replace objects of the same kind, namespace and name.
  [[nodiscard]] CompiledRbac with(const Rbac& rbac) const;

  /// These objects except those with the kind, namespace and name of one in `rbac`.
  [[nodiscard]] CompiledRbac without(const Rbac& rbac) const;

 private:
  friend CompiledRbac compile(const Rbac&, const Access&);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the objects that grant `access`, in n log n. A malformed object grants nothing.
[[nodiscard]] CompiledRbac compile(const Rbac& rbac, const Access& access = {});

/// The names among `policies` that `user` may use in `namespace_` (which may be empty, as in `granted`).
/// In byte order, each once. To ask more than once, compile the objects first.
[[nodiscard]] Texts usable(const Texts& policies, const User& user, std::string_view namespace_,
                           const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/rbac/impl/usable.ipp>
#endif
