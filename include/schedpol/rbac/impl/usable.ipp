// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/rbac/usable.hpp>

#include <set>

namespace schedpol::rbac {

namespace detail {

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string("system:serviceaccount:").append(namespace_).append(":").append(name);
}

/// The user who asks, made for being compared with many subjects.
class Requester {
 public:
  explicit Requester(const User& user)
      : name_(user.name), groups_(user.groups.begin(), user.groups.end()) {}

  /// Whether the user is the one whom a subject of a binding is for.
  [[nodiscard]] bool is(const Subject& subject, std::string_view binding_namespace) const {
    if (subject.kind == "User") return subject.name == name_;
    if (subject.kind == "Group") return groups_.contains(subject.name);
    if (subject.kind != "ServiceAccount") return false;
    const std::string_view in =
        subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
    return !in.empty() && !subject.name.empty() &&
           name_ == service_account_user_name(in, subject.name);
  }

  [[nodiscard]] bool is_any(const std::vector<Subject>& subjects,
                            std::string_view binding_namespace) const {
    for (const Subject& subject : subjects) {
      if (is(subject, binding_namespace)) return true;
    }
    return false;
  }

 private:
  std::string_view name_;
  std::set<std::string_view> groups_;
};

/// The names of the roles that the bindings give to a user.
struct BoundRoles {
  std::set<std::string_view> roles;  ///< of the namespace
  std::set<std::string_view> cluster_roles;
};

inline BoundRoles bound_roles(const Rbac& rbac, const Requester& requester,
                              std::string_view namespace_) {
  BoundRoles bound;
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) {
    if (binding.role_ref.kind != "ClusterRole" || !requester.is_any(binding.subjects, "")) continue;
    bound.cluster_roles.insert(binding.role_ref.name);
  }
  if (namespace_.empty()) return bound;
  for (const RoleBinding& binding : rbac.role_bindings) {
    if (binding.metadata.namespace_ != namespace_) continue;
    if (!requester.is_any(binding.subjects, namespace_)) continue;
    if (binding.role_ref.kind == "Role") bound.roles.insert(binding.role_ref.name);
    if (binding.role_ref.kind == "ClusterRole") bound.cluster_roles.insert(binding.role_ref.name);
  }
  return bound;
}

/// The policies that rules grant access to.
class GrantedPolicies {
 public:
  void add(const std::vector<PolicyRule>& rules, const Access& access) {
    for (const PolicyRule& rule : rules) {
      if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
          !lists(rule.resources, access.resource)) {
        continue;
      }
      all_ |= rule.resource_names.empty();
      names_.insert(rule.resource_names.begin(), rule.resource_names.end());
    }
  }

  [[nodiscard]] bool contains(std::string_view policy) const {
    return all_ || names_.contains(policy);
  }

 private:
  static bool lists(const Texts& texts, std::string_view text) noexcept {
    return texts.contains(text) || texts.contains("*");
  }

  bool all_ = false;
  std::set<std::string_view> names_;
};

}  // namespace detail

SCHEDPOL_INLINE User service_account_user(std::string_view namespace_, std::string_view name) {
  User user;
  user.name = detail::service_account_user_name(namespace_, name.empty() ? "default" : name);
  user.groups = {"system:serviceaccounts",
                 std::string("system:serviceaccounts:").append(namespace_), "system:authenticated"};
  return user;
}

SCHEDPOL_INLINE User user_of(const Pod& pod) {
  const std::string& name = pod.spec.service_account_name.empty() ? pod.spec.service_account
                                                                  : pod.spec.service_account_name;
  return service_account_user(pod.metadata.namespace_, name);
}

SCHEDPOL_INLINE std::vector<std::string> usable(std::span<const std::string> policies,
                                                const User& user, std::string_view namespace_,
                                                const Rbac& rbac, const Access& access) {
  const detail::BoundRoles bound = detail::bound_roles(rbac, detail::Requester(user), namespace_);
  detail::GrantedPolicies granted;
  for (const ClusterRole& role : rbac.cluster_roles) {
    if (bound.cluster_roles.contains(role.metadata.name)) granted.add(role.rules, access);
  }
  for (const Role& role : rbac.roles) {
    if (role.metadata.namespace_ == namespace_ && bound.roles.contains(role.metadata.name)) {
      granted.add(role.rules, access);
    }
  }
  std::set<std::string_view> names;
  for (const std::string& policy : policies) {
    if (granted.contains(policy)) names.insert(policy);
  }
  return {names.begin(), names.end()};
}

}  // namespace schedpol::rbac
