// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values:
/// anybody may use the policy `restricted`, and the service accounts of kube-system the policy
/// `privileged`. Source: the SchedulingPolicy proposal, "RBAC".

#include <schedpol/rbac/rbac.hpp>

#include <string>
#include <utility>
#include <vector>

namespace schedpol::rbac {

namespace detail {

/// The marks of objects that the API server keeps up to date by itself.
inline ObjectMeta bootstrapped(std::string name, std::string namespace_ = "") {
  ObjectMeta metadata;
  metadata.name = std::move(name);
  metadata.namespace_ = std::move(namespace_);
  metadata.labels["kubernetes.io/bootstrapping"] = "rbac-defaults";
  metadata.annotations["rbac.authorization.kubernetes.io/autoupdate"] = "true";
  return metadata;
}

inline ClusterRole may_use(std::string name, std::string policy) {
  const Access access;
  return {bootstrapped(std::move(name)),
          {{.verbs = {access.verb},
            .api_groups = {access.api_group},
            .resources = {access.resource},
            .resource_names = {std::move(policy)}}}};
}

inline constexpr const char* rbac_group = "rbac.authorization.k8s.io";

}  // namespace detail

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] inline ClusterRole restricted_cluster_role() {
  return detail::may_use("sp:restricted", "restricted");
}

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] inline ClusterRole privileged_cluster_role() {
  return detail::may_use("sp:privileged", "privileged");
}

/// `sp:restricted`: everybody who is authenticated has the role `sp:restricted`.
[[nodiscard]] inline ClusterRoleBinding restricted_cluster_role_binding() {
  return {detail::bootstrapped("sp:restricted"),
          {detail::rbac_group, "ClusterRole", "sp:restricted"},
          {{"Group", detail::rbac_group, "system:authenticated", ""}}};
}

/// `sp:kube-system-privileged`: the service accounts of kube-system have the role `sp:privileged`
/// there.
[[nodiscard]] inline RoleBinding kube_system_privileged_role_binding() {
  return {detail::bootstrapped("sp:kube-system-privileged", "kube-system"),
          {detail::rbac_group, "ClusterRole", "sp:privileged"},
          {{"Group", detail::rbac_group, "system:serviceaccounts:kube-system", ""}}};
}

/// All of them.
[[nodiscard]] inline Rbac builtin() {
  return {.roles = {},
          .cluster_roles = {restricted_cluster_role(), privileged_cluster_role()},
          .role_bindings = {kube_system_privileged_role_binding()},
          .cluster_role_bindings = {restricted_cluster_role_binding()}};
}

}  // namespace schedpol::rbac
