// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/shared.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/rbac/usable.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace schedpol::rbac {

namespace detail {

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string("system:serviceaccount:").append(namespace_).append(":").append(name);
}

enum class SubjectKind : unsigned char { user, group };

/// Service accounts are told by their users.
struct SubjectKey {
  SubjectKind kind = SubjectKind::user;
  std::string name{};

  friend auto operator<=>(const SubjectKey&, const SubjectKey&) = default;
};

/// Nothing for a subject that is nobody. `binding_namespace` is empty for a ClusterRoleBinding.
inline std::optional<SubjectKey> key_of(const Subject& subject,
                                        std::string_view binding_namespace) {
  if (subject.kind == "User") return SubjectKey{SubjectKind::user, subject.name};
  if (subject.kind == "Group") return SubjectKey{SubjectKind::group, subject.name};
  if (subject.kind != "ServiceAccount") return std::nullopt;
  const std::string_view in =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  if (in.empty() || subject.name.empty()) return std::nullopt;
  return SubjectKey{SubjectKind::user, service_account_user_name(in, subject.name)};
}

inline bool lists(const Texts& texts, std::string_view text) noexcept {
  return texts.contains(text) || texts.contains("*");
}

/// Adds what the rules grant.
inline void add_granted(Grant& grant, const std::vector<PolicyRule>& rules, const Access& access) {
  for (const PolicyRule& rule : rules) {
    if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
        !lists(rule.resources, access.resource)) {
      continue;
    }
    grant.all |= rule.resource_names.empty();
    grant.names.insert(grant.names.end(), rule.resource_names.begin(), rule.resource_names.end());
  }
}

/// Puts the names in order; all of them need none.
inline void settle(Grant& grant) {
  if (grant.all) return grant.names.clear();
  std::sort(grant.names.begin(), grant.names.end());
  grant.names.erase(std::unique(grant.names.begin(), grant.names.end()), grant.names.end());
}

}  // namespace detail

struct CompiledRbac::Impl {
  /// Whom a binding is for, and where: the namespace, empty for everywhere, then the subject.
  using Place = std::pair<std::string, detail::SubjectKey>;

  std::vector<Grant> grants{};  ///< of the roles that are bound
  std::map<Place, std::vector<std::size_t>, std::less<>> bound{};

  void add(Grant& into, std::string_view namespace_, const detail::SubjectKey& subject) const {
    const auto found = bound.find(Place(namespace_, subject));
    if (found == bound.end()) return;
    for (const std::size_t number : found->second) {
      into.all |= grants[number].all;
      into.names.insert(into.names.end(), grants[number].names.begin(), grants[number].names.end());
    }
  }
};

namespace detail {

/// The grants of roles, by namespace (empty: of cluster roles) and name. Of two that are called the
/// same both count.
class RoleGrants {
 public:
  RoleGrants(const Rbac& rbac, const Access& access) {
    for (const ClusterRole& role : rbac.cluster_roles)
      add_granted(grant_of("", role.metadata.name), role.rules, access);
    for (const Role& role : rbac.roles) {
      if (role.metadata.namespace_.empty()) continue;
      add_granted(grant_of(role.metadata.namespace_, role.metadata.name), role.rules, access);
    }
    for (Grant& grant : grants_) settle(grant);
  }

  /// The number of the grant that a binding gives; nothing where its role is not there.
  [[nodiscard]] const std::size_t* find(const RoleRef& role, std::string_view namespace_) const {
    if (role.kind != "ClusterRole" && (role.kind != "Role" || namespace_.empty())) return nullptr;
    const auto found = numbers_.find(
        {std::string(role.kind == "Role" ? namespace_ : std::string_view()), role.name});
    return found == numbers_.end() ? nullptr : &found->second;
  }

  [[nodiscard]] std::vector<Grant> take() && { return std::move(grants_); }

 private:
  Grant& grant_of(const std::string& namespace_, const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace({namespace_, name}, grants_.size());
    if (is_new) grants_.emplace_back();
    return grants_[at->second];
  }

  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::vector<Grant> grants_;
};

}  // namespace detail

SCHEDPOL_INLINE bool Grant::contains(std::string_view policy) const noexcept {
  return all || std::binary_search(names.begin(), names.end(), policy);
}

SCHEDPOL_INLINE Grant CompiledRbac::granted(const User& user, std::string_view namespace_) const {
  Grant grant;
  if (!impl_) return grant;
  const auto add = [&](const detail::SubjectKey& subject) {
    impl_->add(grant, "", subject);
    if (!namespace_.empty()) impl_->add(grant, namespace_, subject);
  };
  add({detail::SubjectKind::user, user.name});
  for (const std::string& group : user.groups) add({detail::SubjectKind::group, group});
  detail::settle(grant);
  return grant;
}

SCHEDPOL_INLINE CompiledRbac compile(const Rbac& rbac, const Access& access) {
  detail::RoleGrants roles(rbac, access);
  CompiledRbac::Impl impl;
  const auto add = [&](const auto& binding, const std::string& namespace_) {
    const std::size_t* const number = roles.find(binding.role_ref, namespace_);
    if (number == nullptr) return;
    for (const Subject& subject : binding.subjects) {
      if (const auto key = detail::key_of(subject, namespace_))
        impl.bound[{namespace_, *key}].push_back(*number);
    }
  };
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) add(binding, std::string());
  for (const RoleBinding& binding : rbac.role_bindings) {
    // Without a namespace it would be taken for one of the cluster.
    if (!binding.metadata.namespace_.empty()) add(binding, binding.metadata.namespace_);
  }
  impl.grants = std::move(roles).take();
  CompiledRbac compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE User service_account_user(std::string_view namespace_, std::string_view name) {
  User user;
  user.name = detail::service_account_user_name(namespace_, name.empty() ? "default" : name);
  user.groups = {"system:serviceaccounts",
                 std::string("system:serviceaccounts:").append(namespace_), "system:authenticated"};
  return user;
}

SCHEDPOL_INLINE std::string_view account_of(const Pod& pod) noexcept {
  if (!pod.spec.service_account_name.empty()) return pod.spec.service_account_name;
  return pod.spec.service_account.empty() ? "default" : std::string_view(pod.spec.service_account);
}

SCHEDPOL_INLINE User user_of(const Pod& pod) {
  return service_account_user(pod.metadata.namespace_, account_of(pod));
}

SCHEDPOL_INLINE std::vector<std::string> usable(std::span<const std::string> policies,
                                                const User& user, std::string_view namespace_,
                                                const Rbac& rbac, const Access& access) {
  const Grant grant = compile(rbac, access).granted(user, namespace_);
  std::set<std::string_view> names;
  for (const std::string& policy : policies)
    if (grant.contains(policy)) names.insert(policy);
  return {names.begin(), names.end()};
}

}  // namespace schedpol::rbac
