// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values.
/// Everybody may use the policy `restricted`; the service accounts of kube-system may use the policy
/// `privileged`. The objects have the marks of those that the API server keeps up to date itself. The
/// API group of the policies is the proposal's, unless you name another. Source: the SchedulingPolicy
/// proposal, "RBAC".

#include <schedpol/core/api_version.hpp>
#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] ClusterRole restricted_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] ClusterRole privileged_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:restricted`: every authenticated user has the role `sp:restricted`.
[[nodiscard]] ClusterRoleBinding restricted_cluster_role_binding();

/// `sp:kube-system-privileged`: all service accounts of kube-system have `sp:privileged` there.
[[nodiscard]] RoleBinding kube_system_privileged_role_binding();

/// All of these objects.
[[nodiscard]] Rbac builtin(std::string_view policy_group = proposal_api_group);

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/rbac/impl/builtin.ipp>
#endif
