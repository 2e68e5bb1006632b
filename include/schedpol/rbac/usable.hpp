// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which scheduling policies a user may use: RBAC for the verb `use`.
///
/// 1. A subject matches a user by name, a group by membership, and a service account by the user
///    name `system:serviceaccount:NAMESPACE:NAME`; a service account without a namespace is in
///    that of its RoleBinding, and in none for a ClusterRoleBinding. A subject without a name, and
///    one of any other kind, is nobody.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants
///    those of its Role (of the same namespace) or ClusterRole in its own namespace only.
/// 3. A reference to a role that is not there, or to anything but a role, grants nothing, nor does a
///    ClusterRoleBinding to a Role.
/// 4. A rule applies when verb, API group and resource are listed, `*` being all of them; and the
///    policy's name is listed or resourceNames is empty (`*` is a name like any other there).
///
/// Source: Kubernetes' RBAC authorizer.

#include <schedpol/core/pod.hpp>
#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// The user that a service account acts as, with its three groups. An empty name is `default`.
[[nodiscard]] User service_account_user(std::string_view namespace_, std::string_view name);

/// The name of the service account that runs the pod, valid as long as the pod. The deprecated
/// `serviceAccount` counts where `serviceAccountName` is empty, and where both are it is `default`.
[[nodiscard]] std::string_view account_of(const Pod& pod) noexcept;
std::string_view account_of(const Pod&& pod) = delete;  // it would outlive what it is of

/// The user that runs the pod: its service account in its namespace.
[[nodiscard]] User user_of(const Pod& pod);

/// What is asked of the rules, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group{own_api_group};
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

/// Policies that somebody may use: all, or those of some names, whether or not there are such.
struct Grant {
  bool all = false;
  std::vector<std::string> names{};  ///< in byte order, each once; empty where it is all

  /// Whether the policy of this name may be used.
  [[nodiscard]] bool contains(std::string_view policy) const noexcept;

  friend bool operator==(const Grant&, const Grant&) = default;
};

/// Service accounts that a binding is for: one, those of a namespace, or all.
struct ServiceAccounts {
  std::optional<std::string> namespace_{};  ///< absent: of every namespace
  std::optional<std::string> name{};        ///< absent: of every name

  friend bool operator==(const ServiceAccounts&, const ServiceAccounts&) = default;
};

/// RBAC objects, found by the users and groups that they are for. Default-constructed it grants
/// nothing, ever.
class CompiledRbac {
 public:
  CompiledRbac() = default;

  /// What `user` may use in `namespace_`; where that is empty, what is granted everywhere.
  [[nodiscard]] Grant granted(const User& user, std::string_view namespace_) const;

  /// What all of the accounts may use in their namespace, or everywhere where that is absent.
  [[nodiscard]] Grant granted(const ServiceAccounts& accounts) const;

  /// The roles that are bound to `user` in `namespace_`, as `granted` takes it, and are not there; of a
  /// Role the namespace is that one.
  [[nodiscard]] std::vector<RoleRef> missing_roles(const User& user,
                                                   std::string_view namespace_) const;

  /// The service accounts whose grants may change when objects of these names are replaced: those
  /// that a binding of such a name is for, or a binding to a role of such a name. In no order; one may
  /// come more than once.
  [[nodiscard]] std::vector<ServiceAccounts> bound_accounts(const Rbac& rbac) const;

  /// Each of `rbac` in the place of its namesake.
  [[nodiscard]] CompiledRbac with(const Rbac& rbac) const;

  /// Those that are not called like one of `rbac`.
  [[nodiscard]] CompiledRbac without(const Rbac& rbac) const;

 private:
  friend CompiledRbac compile(const Rbac&, const Access&);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles what `access` asks for, in n log n. Whatever cannot be understood grants nothing.
[[nodiscard]] CompiledRbac compile(const Rbac& rbac, const Access& access = {});

/// The names, out of `policies`, that `user` may use in `namespace_`, as `granted` takes it. In byte
/// order, each once. To ask more than once, compile the objects first.
[[nodiscard]] Texts usable(const Texts& policies, const User& user, std::string_view namespace_,
                           const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/rbac/impl/usable.ipp>
#endif
