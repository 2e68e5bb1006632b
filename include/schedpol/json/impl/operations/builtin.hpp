// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects that the SchedulingPolicy proposal wants in every cluster:
/// - schedulingPolicy.builtin: names (of policies; all where they are left out), nodeLabels
///   (`Current`, or the proposal's letter `Proposal`); policies, clusterRoles, roleBindings,
///   clusterRoleBindings, of the latter those by which these policies may be used. They are what
///   `schedulingPolicy.analyze` and `rbac.usablePolicies` take.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<scheduling_policy::NodeLabels> =
    vocabulary(Given::optional, scheduling_policy::NodeLabels::current,
               scheduling_policy::NodeLabels::proposal);

/// The built-in policies of these names; all where there are none. `input` fails for another name.
inline std::vector<scheduling_policy::SchedulingPolicy> builtin_policies(
    Input& input, const Texts& names, scheduling_policy::NodeLabels labels) {
  std::vector<scheduling_policy::SchedulingPolicy> all = {
      scheduling_policy::restricted(),
      scheduling_policy::restricted_multiarch_by_node_selector(labels),
      scheduling_policy::restricted_multiarch_by_affinity(labels),
      scheduling_policy::privileged(),
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names.vector()[i];
    std::string supported = "supported are";
    schedpol::detail::Meant meant(name);
    bool known = false;
    for (const auto& policy : all) {
      known = known || policy.metadata.name == name;
      supported += (supported.ends_with("are") ? " " : ", ") + policy.metadata.name;
      meant.consider(policy.metadata.name);
    }
    if (known) continue;
    input.fail(
        EvaluateError::invalid_request,
        {ErrorType::not_supported, FieldPath{"names"}.index(i), name, supported + meant.text()});
  }
  std::erase_if(all, [&](const auto& policy) {
    return !names.empty() && !names.contains(policy.metadata.name);
  });
  return all;
}

inline void scheduling_policy_builtin(Input& input, ObjectWriter& result) {
  constexpr auto invalid = EvaluateError::invalid_request;
  const auto names = input.read<Texts>("names", invalid);
  const auto labels = input.read<scheduling_policy::NodeLabels>("nodeLabels", invalid);
  const auto policies = builtin_policies(input, names, labels);
  if (!input.complete()) return;
  rbac::Rbac rbac = rbac::builtin();
  const auto is_of_policies = [&](const rbac::ClusterRole& role) {
    return schedpol::detail::any_of(policies, [&](const auto& policy) {
      return role.rules[0].resource_names.contains(policy.metadata.name);
    });
  };
  std::erase_if(rbac.cluster_roles, [&](const auto& role) { return !is_of_policies(role); });
  const auto grants_nothing = [&](const auto& binding) {
    return schedpol::detail::none_of(rbac.cluster_roles, [&](const auto& role) {
      return role.metadata.name == binding.role_ref.name;
    });
  };
  std::erase_if(rbac.role_bindings, grants_nothing);
  std::erase_if(rbac.cluster_role_bindings, grants_nothing);
  result.member("policies", policies)
      .member("clusterRoles", rbac.cluster_roles)
      .member("roleBindings", rbac.role_bindings)
      .member("clusterRoleBindings", rbac.cluster_role_bindings);
}

inline constexpr NamedOperation builtin_operations[] = {
    {"schedulingPolicy.builtin", scheduling_policy_builtin},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
