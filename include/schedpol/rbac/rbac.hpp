// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which scheduling policies a user may use: RBAC (rbac.authorization.k8s.io/v1) for the verb
/// `use`.
///
/// 1. A subject matches a user by name, a group by membership, and a service account by the user
///    name `system:serviceaccount:NAMESPACE:NAME`; a service account without a namespace is in
///    that of its RoleBinding, and in none for a ClusterRoleBinding.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants
///    those of its Role (of the same namespace) or ClusterRole in its own namespace only.
/// 3. A reference to a role that is not there grants nothing, nor does a ClusterRoleBinding to a
/// Role.
/// 4. A rule applies when verb, API group and resource are listed, `*` being all of them; and the
///    policy's name is listed or resourceNames is empty (`*` is a name like any other there).
/// Source: Kubernetes' RBAC authorizer.

#include <schedpol/core/pod.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::rbac {

/// Absent and empty lists are one.
struct PolicyRule {
  std::vector<std::string> verbs{};
  std::vector<std::string> api_groups{};
  std::vector<std::string> resources{};
  std::vector<std::string> resource_names{};

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

struct Role {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const Role&, const Role&) = default;
};

struct ClusterRole {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const ClusterRole&, const ClusterRole&) = default;
};

struct RoleRef {
  std::string api_group{};
  std::string kind{};  ///< `Role` or `ClusterRole`
  std::string name{};

  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

/// Whom a binding is for.
struct Subject {
  std::string kind{};  ///< `User`, `Group` or `ServiceAccount`
  std::string api_group{};
  std::string name{};
  std::string namespace_{};  ///< of a service account

  friend bool operator==(const Subject&, const Subject&) = default;
};

struct RoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const RoleBinding&, const RoleBinding&) = default;
};

struct ClusterRoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const ClusterRoleBinding&, const ClusterRoleBinding&) = default;
};

struct Rbac {
  std::vector<Role> roles{};
  std::vector<ClusterRole> cluster_roles{};
  std::vector<RoleBinding> role_bindings{};
  std::vector<ClusterRoleBinding> cluster_role_bindings{};

  friend bool operator==(const Rbac&, const Rbac&) = default;
};

/// Who asks: a user name and the groups it is in.
struct User {
  std::string name{};
  std::vector<std::string> groups{};

  friend bool operator==(const User&, const User&) = default;
};

/// The user that a service account acts as, with its three groups. An empty name is `default`.
[[nodiscard]] inline User service_account_user(std::string_view namespace_, std::string_view name) {
  const std::string account(name.empty() ? "default" : name);
  const std::string in(namespace_);
  return {"system:serviceaccount:" + in + ":" + account,
          {"system:serviceaccounts", "system:serviceaccounts:" + in, "system:authenticated"}};
}

/// The user that runs the pod: its service account in its namespace. The deprecated
/// `serviceAccount` counts where `serviceAccountName` is empty.
[[nodiscard]] inline User user_of(const Pod& pod) {
  const std::string& name = pod.spec.service_account_name.empty() ? pod.spec.service_account
                                                                  : pod.spec.service_account_name;
  return service_account_user(pod.metadata.namespace_, name);
}

/// What is asked of the rules, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group = "extensions";
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

namespace detail {

inline bool lists(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}
inline bool lists_or_all(const std::vector<std::string>& names, std::string_view name) noexcept {
  return lists(names, name) || lists(names, "*");
}

inline bool grants(const PolicyRule& rule, const Access& access) noexcept {
  return lists_or_all(rule.verbs, access.verb) && lists_or_all(rule.api_groups, access.api_group) &&
         lists_or_all(rule.resources, access.resource);
}

inline bool is(const Subject& subject, const User& user, std::string_view binding_namespace) {
  if (subject.kind == "User") return subject.name == user.name;
  if (subject.kind == "Group") return lists(user.groups, subject.name);
  if (subject.kind != "ServiceAccount") return false;
  const std::string_view in =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  // A subject without a name is nobody: `service_account_user` would take it for `default`.
  return !in.empty() && !subject.name.empty() &&
         user.name == service_account_user(in, subject.name).name;
}

inline bool any_is(const std::vector<Subject>& subjects, const User& user,
                   std::string_view binding_namespace) {
  for (const Subject& subject : subjects) {
    if (is(subject, user, binding_namespace)) return true;
  }
  return false;
}

}  // namespace detail

/// The names, out of `policies`, that `user` may use in `namespace_` (empty: only what is granted
/// everywhere). In byte order, each once.
[[nodiscard]] inline std::vector<std::string> usable(std::span<const std::string> policies,
                                                     const User& user, std::string_view namespace_,
                                                     const Rbac& rbac, const Access& access = {}) {
  bool all = false;
  std::set<std::string_view> granted;
  const auto collect = [&](const std::vector<PolicyRule>& rules) {
    for (const PolicyRule& rule : rules) {
      if (!detail::grants(rule, access)) continue;
      all |= rule.resource_names.empty();
      granted.insert(rule.resource_names.begin(), rule.resource_names.end());
    }
  };
  const auto collect_cluster_role = [&](std::string_view name) {
    for (const ClusterRole& role : rbac.cluster_roles) {
      if (role.metadata.name == name) collect(role.rules);
    }
  };
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) {
    if (binding.role_ref.kind == "ClusterRole" && detail::any_is(binding.subjects, user, "")) {
      collect_cluster_role(binding.role_ref.name);
    }
  }
  for (const RoleBinding& binding : rbac.role_bindings) {
    if (namespace_.empty() || binding.metadata.namespace_ != namespace_) continue;
    if (!detail::any_is(binding.subjects, user, namespace_)) continue;
    if (binding.role_ref.kind == "ClusterRole") collect_cluster_role(binding.role_ref.name);
    if (binding.role_ref.kind != "Role") continue;
    for (const Role& role : rbac.roles) {
      if (role.metadata.namespace_ == namespace_ && role.metadata.name == binding.role_ref.name)
        collect(role.rules);
    }
  }
  std::set<std::string_view> names;
  for (const std::string& policy : policies) {
    if (all || granted.contains(policy)) names.insert(policy);
  }
  return {names.begin(), names.end()};
}

}  // namespace schedpol::rbac
