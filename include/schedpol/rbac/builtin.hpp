// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values:
/// anybody may use the policy `restricted`, and the service accounts of kube-system the policy
/// `privileged`. They are marked as the API server marks those that it keeps up to date by itself.
/// The group in which policies are used is the proposal's, unless the caller names another one.
/// Source: the SchedulingPolicy proposal, "RBAC".

#include <schedpol/core/api_version.hpp>
#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] ClusterRole restricted_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] ClusterRole privileged_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:restricted`: everybody who is authenticated has the role `sp:restricted`.
[[nodiscard]] ClusterRoleBinding restricted_cluster_role_binding();

/// `sp:kube-system-privileged`: all service accounts of kube-system have `sp:privileged` there.
[[nodiscard]] RoleBinding kube_system_privileged_role_binding();

/// All of them.
[[nodiscard]] Rbac builtin(std::string_view policy_group = proposal_api_group);

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/rbac/impl/builtin.ipp>
#endif
