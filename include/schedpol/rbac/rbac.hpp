// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RBAC objects (rbac.authorization.k8s.io/v1) that say which users may use which policies.
/// `usable` decides what they grant. Absent and empty lists mean the same.

#include <schedpol/core/object_meta.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// The verbs that are allowed on which objects.
struct PolicyRule {
  Texts verbs{};
  Texts api_groups{};
  Texts resources{};
  Texts resource_names{};

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

/// Rules for its namespace.
struct Role {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const Role&, const Role&) = default;
};

/// Rules for all namespaces, or for the namespace of a RoleBinding that grants it.
struct ClusterRole {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const ClusterRole&, const ClusterRole&) = default;
};

/// The role that a binding grants.
struct RoleRef {
  std::string api_group{};
  std::string kind{};  ///< `Role` or `ClusterRole`
  std::string name{};

  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

/// A user, group or service account to which a binding grants its role.
struct Subject {
  std::string kind{};  ///< `User`, `Group` or `ServiceAccount`
  std::string api_group{};
  std::string name{};
  std::string namespace_{};  ///< of a service account

  friend bool operator==(const Subject&, const Subject&) = default;
};

/// Grants a role in its namespace.
struct RoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const RoleBinding&, const RoleBinding&) = default;
};

/// Grants a ClusterRole everywhere.
struct ClusterRoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const ClusterRoleBinding&, const ClusterRoleBinding&) = default;
};

/// All RBAC objects of a cluster, or those about policies.
struct Rbac {
  std::vector<Role> roles{};
  std::vector<ClusterRole> cluster_roles{};
  std::vector<RoleBinding> role_bindings{};
  std::vector<ClusterRoleBinding> cluster_role_bindings{};

  friend bool operator==(const Rbac&, const Rbac&) = default;
};

/// A user name and the groups of the user.
struct User {
  std::string name{};
  Texts groups{};

  friend bool operator==(const User&, const User&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::rbac
