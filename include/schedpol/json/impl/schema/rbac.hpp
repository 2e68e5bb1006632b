// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of RBAC objects. A misspelt field is refused here too: `resourceName` for
/// `resourceNames` would grant all.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/rbac/rbac.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr std::string_view rbac_version = "rbac.authorization.k8s.io/v1";

template <>
inline constexpr auto schema<rbac::PolicyRule> =
    object(Traits{.ignored = "nonResourceURLs"}, field("verbs", &rbac::PolicyRule::verbs),
           field("apiGroups", &rbac::PolicyRule::api_groups),
           field("resources", &rbac::PolicyRule::resources),
           field("resourceNames", &rbac::PolicyRule::resource_names));

template <>
inline constexpr auto schema<rbac::RoleRef> =
    object(field("apiGroup", &rbac::RoleRef::api_group), field("kind", &rbac::RoleRef::kind),
           field("name", &rbac::RoleRef::name));

/// `apiVersion` is what `apiGroup` was called before rbac.authorization.k8s.io/v1beta1.
template <>
inline constexpr auto schema<rbac::Subject> =
    object(Traits{.ignored = "apiVersion"}, field("kind", &rbac::Subject::kind),
           field("apiGroup", &rbac::Subject::api_group), field("name", &rbac::Subject::name),
           field("namespace", &rbac::Subject::namespace_));

template <>
inline constexpr auto schema<rbac::Role> =
    object(Traits{.kind = "Role", .api_version = rbac_version, .unknown = Unknown::refuse},
           field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));

template <>
inline constexpr auto schema<rbac::ClusterRole> = object(
    Traits{.kind = "ClusterRole",
           .api_version = rbac_version,
           .unknown = Unknown::refuse,
           .ignored = "aggregationRule"},
    field("metadata", &rbac::ClusterRole::metadata), field("rules", &rbac::ClusterRole::rules));

template <>
inline constexpr auto schema<rbac::RoleBinding> = object(
    Traits{.kind = "RoleBinding", .api_version = rbac_version, .unknown = Unknown::refuse},
    field("metadata", &rbac::RoleBinding::metadata), field("roleRef", &rbac::RoleBinding::role_ref),
    field("subjects", &rbac::RoleBinding::subjects));

template <>
inline constexpr auto schema<rbac::ClusterRoleBinding> = object(
    Traits{.kind = "ClusterRoleBinding", .api_version = rbac_version, .unknown = Unknown::refuse},
    field("metadata", &rbac::ClusterRoleBinding::metadata),
    field("roleRef", &rbac::ClusterRoleBinding::role_ref),
    field("subjects", &rbac::ClusterRoleBinding::subjects));

template <>
inline constexpr auto schema<rbac::User> =
    object(Traits{.unknown = Unknown::refuse}, field("name", &rbac::User::name),
           field("groups", &rbac::User::groups));

using RbacValues =
    Types<rbac::PolicyRule, rbac::RoleRef, rbac::Subject, rbac::Role, rbac::ClusterRole,
          rbac::RoleBinding, rbac::ClusterRoleBinding, rbac::User>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
