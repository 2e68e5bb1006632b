// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The operation of RBAC, with its inputs and results:
/// - rbac.usablePolicies: user, namespace (a name), policies (names), roles, clusterRoles,
///   roleBindings, clusterRoleBindings, apiGroup (the proposal's, `extensions`, where absent),
///   resource; usable.

#include <schedpol/json/impl/operation.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Who may use what, and what of it is asked for.
inline rbac::Rbac read_rbac(Input& input, rbac::Access& access) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto api_group = input.read<std::optional<std::string>>("apiGroup", invalid);
  const auto resource = input.read<std::optional<std::string>>("resource", invalid);
  access.api_group = api_group.value_or(access.api_group);
  access.resource = resource.value_or(access.resource);
  return {.roles = input.read<std::vector<rbac::Role>>("roles"),
          .cluster_roles = input.read<std::vector<rbac::ClusterRole>>("clusterRoles"),
          .role_bindings = input.read<std::vector<rbac::RoleBinding>>("roleBindings"),
          .cluster_role_bindings =
              input.read<std::vector<rbac::ClusterRoleBinding>>("clusterRoleBindings")};
}

inline void rbac_usable_policies(Input& input, ObjectWriter& result) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto user = input.require<rbac::User>("user");
  const auto in = input.read<std::string>("namespace", invalid);
  const auto policies = input.read<Texts>("policies", invalid);
  rbac::Access access{.api_group = std::string(proposal_api_group)};
  const rbac::Rbac rbac = read_rbac(input, access);
  if (input.complete()) result.member("usable", usable(policies, user, in, rbac, access));
}

inline constexpr NamedOperation rbac_operations[] = {
    {"rbac.usablePolicies", rbac_usable_policies},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
