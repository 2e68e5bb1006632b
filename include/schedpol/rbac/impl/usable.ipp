// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/rbac/impl/rules.hpp>
#include <schedpol/rbac/impl/subjects.hpp>
#include <schedpol/rbac/usable.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::rbac {

namespace detail {

using schedpol::detail::PersistentMap;

// The kinds of keys. What is of the cluster has no namespace.
inline constexpr char role_kind = 'r';
inline constexpr char binding_kind = 'b';

/// The role that a binding of the namespace grants; nothing where there can be none.
inline std::optional<MapKeyView> key_of(const RoleRef& role, std::string_view namespace_) {
  if (role.kind == "ClusterRole") return MapKeyView{role_kind, {}, role.name};
  if (role.kind == "Role" && !namespace_.empty())
    return MapKeyView{role_kind, namespace_, role.name};
  return std::nullopt;
}

/// Calls `f(key, object)` for each role; one that says no namespace, though its kind has one, is
/// none.
template <class F>
void for_each_role(const Rbac& rbac, F&& f) {
  for (const ClusterRole& role : rbac.cluster_roles)
    f(MapKeyView{role_kind, {}, role.metadata.name}, role);
  for (const Role& role : rbac.roles)
    if (const std::string& in = role.metadata.namespace_; !in.empty())
      f(MapKeyView{role_kind, in, role.metadata.name}, role);
}

/// The same for each binding.
template <class F>
void for_each_binding(const Rbac& rbac, F&& f) {
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings)
    f(MapKeyView{binding_kind, {}, binding.metadata.name}, binding);
  for (const RoleBinding& binding : rbac.role_bindings)
    if (const std::string& in = binding.metadata.namespace_; !in.empty())
      f(MapKeyView{binding_kind, in, binding.metadata.name}, binding);
}

/// Adds what the rules grant.
inline void add_granted(Grant& grant, const std::vector<PolicyRule>& rules, const Access& access) {
  for (const PolicyRule& rule : rules) {
    if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
        !lists(rule.resources, access.resource)) {
      continue;
    }
    grant.all |= rule.resource_names.empty();
    schedpol::detail::append(grant.names, rule.resource_names);
  }
}

}  // namespace detail

struct CompiledRbac::Impl {
  struct BoundRole {
    detail::MapKey role;
    std::vector<detail::MapKey> subjects;
  };

  Access access{};
  // Of several that are called the same all count.
  detail::PersistentMap<Grant> grants{};                         ///< by role
  detail::PersistentMap<std::vector<BoundRole>> bindings{};      ///< by their own names
  detail::PersistentMap<std::multiset<detail::MapKey>> bound{};  ///< the roles of a subject

  void remove(const Rbac& rbac) {
    detail::for_each_role(rbac,
                          [&](const detail::MapKeyView& key, const auto&) { grants.erase(key); });
    detail::for_each_binding(rbac, [&](const detail::MapKeyView& key, const auto&) {
      const std::vector<BoundRole>* const all = bindings.find(key);
      if (all == nullptr) return;
      for (const BoundRole& one : *all) {
        for (const detail::MapKey& subject : one.subjects) {
          std::multiset<detail::MapKey>& roles = bound[view(subject)];
          roles.erase(roles.find(one.role));
          if (roles.empty()) bound.erase(view(subject));
        }
      }
      bindings.erase(key);
    });
  }

  void add(const Rbac& rbac) {
    detail::for_each_role(rbac, [&](const detail::MapKeyView& key, const auto& role) {
      detail::add_granted(grants[key], role.rules, access);
    });
    detail::for_each_binding(rbac, [&](const detail::MapKeyView& key, const auto& binding) {
      const auto role = detail::key_of(binding.role_ref, key.first);
      if (!role) return;
      BoundRole one{copy_of(*role), {}};
      for (const Subject& subject : binding.subjects) {
        auto whom = detail::subject_key(subject, std::string(key.first));
        if (!whom) continue;
        bound[view(*whom)].insert(one.role);
        one.subjects.push_back(*std::move(whom));
      }
      if (!one.subjects.empty()) bindings[key].push_back(std::move(one));
    });
  }

  /// The bindings that are called like those of `rbac`, and those to roles that are.
  [[nodiscard]] std::set<detail::MapKeyView> bindings_of(const Rbac& rbac) const {
    std::set<detail::MapKeyView> found;
    detail::for_each_binding(
        rbac, [&](const detail::MapKeyView& key, const auto&) { found.insert(key); });
    std::set<detail::MapKeyView> roles;
    detail::for_each_role(rbac,
                          [&](const detail::MapKeyView& key, const auto&) { roles.insert(key); });
    if (roles.empty()) return found;
    bindings.for_each_entry([&](const detail::MapKey& key, const std::vector<BoundRole>& all) {
      for (const BoundRole& one : all)
        if (roles.contains(view(one.role))) found.insert(view(key));
    });
    return found;
  }

  /// Adds the roles that are bound to a subject. They are valid as long as this is.
  void collect(std::set<detail::MapKeyView>& roles, const detail::MapKeyView& subject) const {
    if (const std::multiset<detail::MapKey>* const all = bound.find(subject))
      for (const detail::MapKey& role : *all) roles.insert(view(role));
  }

  /// The roles that are bound to a user, each once, however often it is bound or a group is named. They
  /// are valid as long as this is.
  [[nodiscard]] std::set<detail::MapKeyView> roles_of(const User& user,
                                                      std::string_view namespace_) const {
    std::set<detail::MapKeyView> roles;
    const auto collect_all = [&](char kind, std::string_view name) {
      collect(roles, {kind, {}, name});
      if (!namespace_.empty()) collect(roles, {kind, namespace_, name});
    };
    collect_all(detail::user_kind, user.name);
    for (const std::string_view group :
         std::set<std::string_view>(user.groups.begin(), user.groups.end()))
      collect_all(detail::group_kind, group);
    return roles;
  }
};

SCHEDPOL_INLINE bool Grant::contains(std::string_view policy) const noexcept {
  return all || std::binary_search(names.begin(), names.end(), policy);
}

SCHEDPOL_INLINE Grant CompiledRbac::granted(const User& user, std::string_view namespace_) const {
  Grant grant;
  if (!impl_) return grant;
  for (const detail::MapKeyView& role : impl_->roles_of(user, namespace_)) {
    const Grant* const of_role = impl_->grants.find(role);
    if (of_role == nullptr) continue;
    grant.all |= of_role->all;
    schedpol::detail::append(grant.names, of_role->names);
  }
  if (grant.all) grant.names.clear();
  std::sort(grant.names.begin(), grant.names.end());
  grant.names.erase(std::unique(grant.names.begin(), grant.names.end()), grant.names.end());
  return grant;
}

SCHEDPOL_INLINE Grant CompiledRbac::granted(const ServiceAccounts& accounts) const {
  const std::string in = accounts.namespace_.value_or("");
  User user = service_account_user(in, accounts.name.value_or(""));
  if (!accounts.name) user.name.clear();
  if (!accounts.namespace_) user.groups = {detail::accounts_group, detail::authenticated_group};
  return granted(user, in);
}

SCHEDPOL_INLINE std::vector<RoleRef> CompiledRbac::missing_roles(
    const User& user, std::string_view namespace_) const {
  std::vector<RoleRef> missing;
  if (!impl_) return missing;
  for (const auto& [kind, in, name] : impl_->roles_of(user, namespace_)) {
    if (impl_->grants.find({kind, in, name}) != nullptr) continue;
    missing.push_back({detail::rbac_group, in.empty() ? "ClusterRole" : "Role", std::string(name)});
  }
  return missing;
}

SCHEDPOL_INLINE std::vector<ServiceAccounts> CompiledRbac::bound_accounts(const Rbac& rbac) const {
  std::vector<ServiceAccounts> accounts;
  if (!impl_) return accounts;
  for (const detail::MapKeyView& binding : impl_->bindings_of(rbac))
    if (const std::vector<Impl::BoundRole>* const all = impl_->bindings.find(binding))
      for (const Impl::BoundRole& one : *all)
        for (const detail::MapKey& subject : one.subjects)
          detail::add_accounts_of_subject(accounts, subject);
  return accounts;
}

SCHEDPOL_INLINE CompiledRbac CompiledRbac::with(const Rbac& rbac) const {
  CompiledRbac compiled;
  if (!impl_) return compiled;
  Impl impl = *impl_;
  impl.remove(rbac);
  impl.add(rbac);
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledRbac CompiledRbac::without(const Rbac& rbac) const {
  CompiledRbac compiled;
  if (!impl_) return compiled;
  Impl impl = *impl_;
  impl.remove(rbac);
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledRbac compile(const Rbac& rbac, const Access& access) {
  CompiledRbac compiled;
  compiled.impl_ = Shared(CompiledRbac::Impl{.access = access});
  return compiled.with(rbac);
}

SCHEDPOL_INLINE User service_account_user(std::string_view namespace_, std::string_view name) {
  User user;
  user.name = detail::service_account_user_name(namespace_, name.empty() ? "default" : name);
  user.groups = {detail::accounts_group,
                 std::string(detail::accounts_of_namespace_group).append(namespace_),
                 detail::authenticated_group};
  return user;
}

SCHEDPOL_INLINE std::string_view account_of(const Pod& pod) noexcept {
  if (!pod.spec.service_account_name.empty()) return pod.spec.service_account_name;
  return pod.spec.service_account.empty() ? "default" : std::string_view(pod.spec.service_account);
}

SCHEDPOL_INLINE User user_of(const Pod& pod) {
  return service_account_user(namespace_of(pod.metadata), account_of(pod));
}

SCHEDPOL_INLINE Texts usable(const Texts& policies, const User& user, std::string_view namespace_,
                             const Rbac& rbac, const Access& access) {
  const Grant grant = compile(rbac, access).granted(user, namespace_);
  std::set<std::string_view> names;
  for (const std::string& policy : policies)
    if (grant.contains(policy)) names.insert(policy);
  return Texts(std::vector<std::string>(names.begin(), names.end()));
}

}  // namespace SCHEDPOL_NAMESPACE::rbac
