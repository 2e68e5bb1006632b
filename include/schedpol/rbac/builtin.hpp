// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values:
/// anybody may use the policy `restricted`, and the service accounts of kube-system the policy
/// `privileged`. They are marked as the API server marks those that it keeps up to date by itself.
/// Source: the SchedulingPolicy proposal, "RBAC".

#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] ClusterRole restricted_cluster_role();

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] ClusterRole privileged_cluster_role();

/// `sp:restricted`: everybody who is authenticated has the role `sp:restricted`.
[[nodiscard]] ClusterRoleBinding restricted_cluster_role_binding();

/// `sp:kube-system-privileged`: all service accounts of kube-system have `sp:privileged` there.
[[nodiscard]] RoleBinding kube_system_privileged_role_binding();

/// All of them.
[[nodiscard]] Rbac builtin();

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/rbac/impl/builtin.ipp>
#endif
