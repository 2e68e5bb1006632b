// SPDX-License-Identifier: Apache-2.0
#pragma once

// Roles and bindings that tests of RBAC speak of.

#include <schedpol/rbac/usable.hpp>

#include "../support/print_systems.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace grants {

using Names = Texts;

inline const Names policies = {"gpu", "restricted", "*", "Edge"};
inline const Names every_policy = {"*", "Edge", "gpu", "restricted"};

inline PolicyRule rule(Texts resource_names = {}) {
  return {{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, std::move(resource_names)};
}

inline ObjectMeta named(std::string name, std::string namespace_ = "") {
  ObjectMeta metadata;
  metadata.name = std::move(name);
  metadata.namespace_ = std::move(namespace_);
  return metadata;
}

inline RoleRef role_ref(std::string kind, std::string name) {
  return {"rbac.authorization.k8s.io", std::move(kind), std::move(name)};
}

inline Subject user(std::string name) {
  return {"User", "rbac.authorization.k8s.io", std::move(name), ""};
}
inline Subject group(std::string name) {
  return {"Group", "rbac.authorization.k8s.io", std::move(name), ""};
}
inline Subject service_account(std::string namespace_, std::string name) {
  return {"ServiceAccount", "", std::move(name), std::move(namespace_)};
}

inline const User tester = {"tester", {"testers", "system:authenticated"}};

/// The rules, bound to the subject by a ClusterRoleBinding.
inline Rbac everywhere(std::vector<PolicyRule> rules, Subject subject = user("tester")) {
  Rbac rbac;
  rbac.cluster_roles = {{named("reader"), std::move(rules)}};
  rbac.cluster_role_bindings = {
      {named("binding"), role_ref("ClusterRole", "reader"), {std::move(subject)}}};
  return rbac;
}

/// The rules, bound to the subject by a RoleBinding of the namespace, in a Role of it.
inline Rbac in_namespace(const std::string& namespace_, std::vector<PolicyRule> rules,
                         Subject subject = user("tester")) {
  Rbac rbac;
  rbac.roles = {{named("reader", namespace_), std::move(rules)}};
  rbac.role_bindings = {
      {named("binding", namespace_), role_ref("Role", "reader"), {std::move(subject)}}};
  return rbac;
}

}  // namespace grants
}  // namespace SCHEDPOL_NAMESPACE::rbac
