// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/rbac/usable.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

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

inline ClusterRole may_use(std::string name, const char* policy, std::string_view policy_group) {
  const Access access;
  PolicyRule rule;
  rule.verbs = {access.verb};
  rule.api_groups = {std::string(policy_group)};
  rule.resources = {access.resource};
  rule.resource_names = {policy};
  return {bootstrapped(std::move(name)), {std::move(rule)}};
}

}  // namespace detail

SCHEDPOL_INLINE ClusterRole restricted_cluster_role(std::string_view policy_group) {
  return detail::may_use("sp:restricted", "restricted", policy_group);
}

SCHEDPOL_INLINE ClusterRole privileged_cluster_role(std::string_view policy_group) {
  return detail::may_use("sp:privileged", "privileged", policy_group);
}

SCHEDPOL_INLINE ClusterRoleBinding restricted_cluster_role_binding() {
  return {detail::bootstrapped("sp:restricted"),
          {detail::rbac_group, "ClusterRole", "sp:restricted"},
          {{"Group", detail::rbac_group, "system:authenticated", ""}}};
}

SCHEDPOL_INLINE RoleBinding kube_system_privileged_role_binding() {
  return {detail::bootstrapped("sp:kube-system-privileged", "kube-system"),
          {detail::rbac_group, "ClusterRole", "sp:privileged"},
          {{"Group", detail::rbac_group, "system:serviceaccounts:kube-system", ""}}};
}

SCHEDPOL_INLINE Rbac builtin(std::string_view policy_group) {
  return {.roles = {},
          .cluster_roles = {restricted_cluster_role(policy_group),
                            privileged_cluster_role(policy_group)},
          .role_bindings = {kube_system_privileged_role_binding()},
          .cluster_role_bindings = {restricted_cluster_role_binding()}};
}

}  // namespace SCHEDPOL_NAMESPACE::rbac
