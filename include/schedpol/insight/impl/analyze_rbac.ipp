// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_rbac.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/rbac/impl/rules.hpp>
#include <schedpol/rbac/impl/subjects.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

namespace detail {

/// Who has which roles: those of a namespace, and of the cluster without one.
class BoundRoles {
 public:
  explicit BoundRoles(const Rbac& rbac) {
    for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) add(binding, "");
    for (const RoleBinding& binding : rbac.role_bindings)
      if (!binding.metadata.namespace_.empty()) add(binding, binding.metadata.namespace_);
  }

  [[nodiscard]] bool has(const ObjectMeta& role) const {
    return bound_.contains({role.namespace_, role.name});
  }

 private:
  template <class Binding>
  void add(const Binding& binding, const std::string& namespace_) {
    const auto is_somebody = [&](const Subject& subject) {
      return subject_key(subject, namespace_).has_value();
    };
    if (schedpol::detail::none_of(binding.subjects, is_somebody)) return;
    if (binding.role_ref.kind == "ClusterRole") bound_.emplace("", binding.role_ref.name);
    if (binding.role_ref.kind == "Role" && !namespace_.empty())
      bound_.emplace(namespace_, binding.role_ref.name);
  }

  std::set<std::pair<std::string, std::string>> bound_;
};

/// The field of a rule that grants what is asked for through a wildcard alone; empty where none
/// does.
inline std::string_view wildcard_in(const PolicyRule& rule, const Access& access) {
  if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
      !lists(rule.resources, access.resource))
    return {};
  if (!rule.verbs.contains(access.verb)) return "verbs";
  if (!rule.api_groups.contains(access.api_group)) return "apiGroups";
  return rule.resources.contains(access.resource) ? std::string_view() : "resources";
}

/// Whether a rule is about the use of policies, in groups that theirs is not among.
inline bool is_for_other_group(const PolicyRule& rule, const Access& access) {
  return rule.verbs.contains(access.verb) && rule.resources.contains(access.resource) &&
         !lists(rule.api_groups, access.api_group);
}

/// What a binding names, by its name and namespace.
inline ObjectMeta role_of(const RoleBinding& binding) {
  const bool is_of_cluster = binding.role_ref.kind == "ClusterRole";
  return {.name = binding.role_ref.name,
          .namespace_ = is_of_cluster ? std::string() : binding.metadata.namespace_};
}
inline ObjectMeta role_of(const ClusterRoleBinding& binding) {
  return {.name = binding.role_ref.name};
}

/// The roles that a binding can name.
class KnownRoles {
 public:
  explicit KnownRoles(const Rbac& rbac) {
    for (const ClusterRole& role : rbac.cluster_roles) names_.emplace("", role.metadata.name);
    for (const Role& role : rbac.roles)
      names_.emplace(role.metadata.namespace_, role.metadata.name);
  }

  [[nodiscard]] bool has(std::string_view kind, const ObjectMeta& role) const {
    const std::string& name = role.name;
    const bool is_of_cluster = kind == "ClusterRole";
    if (is_of_cluster && (name == "admin" || name == "cluster-admin" || name == "edit" ||
                          name == "view" || name.starts_with("system:")))
      return true;
    return is_of_cluster == role.namespace_.empty() && names_.contains({role.namespace_, name});
  }

 private:
  std::set<std::pair<std::string, std::string>> names_;
};

/// `Role shop/admin`, and the same as a path.
inline std::string shown(std::string_view kind, const ObjectMeta& metadata) {
  return std::string(kind) + " " + schedpol::detail::qualified_name(metadata);
}
inline FieldPath place_of(std::string_view kind, const ObjectMeta& metadata) {
  return FieldPath{kind}.key(schedpol::detail::qualified_name(metadata));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(const Rbac& rbac, const Access& access) {
  std::vector<Finding> findings;
  const detail::BoundRoles bound(rbac);
  const auto look_at = [&](const auto& role, std::string_view kind) {
    if (!bound.has(role.metadata)) return;
    const std::string shown = detail::shown(kind, role.metadata);
    for (std::size_t i = 0; i < role.rules.size(); ++i) {
      const PolicyRule& rule = role.rules[i];
      const bool other_group = detail::is_for_other_group(rule, access);
      const std::string_view field =
          other_group ? std::string_view("apiGroups") : detail::wildcard_in(rule, access);
      if (field.empty()) continue;
      findings.push_back({.code = other_group ? FindingCode::granted_in_other_group
                                              : FindingCode::granted_by_wildcard,
                          .severity = Severity::warning,
                          .policies = Names(rule.resource_names.vector()),
                          .field = FieldPath{"rules"}.index(i).child(field),
                          .detail = other_group
                                        ? in_backticks(shown) + " has to name their API group, " +
                                              in_backticks(access.api_group)
                                        : shown,
                          .object = detail::place_of(kind, role.metadata)});
      return;
    }
  };
  for (const ClusterRole& role : rbac.cluster_roles)
    if (role.metadata.namespace_.empty()) look_at(role, "ClusterRole");
  for (const Role& role : rbac.roles) look_at(role, "Role");
  const detail::KnownRoles known(rbac);
  const auto look_for_role = [&](const auto& binding, std::string_view kind) {
    const ObjectMeta role = detail::role_of(binding);
    if (known.has(binding.role_ref.kind, role)) return;
    findings.push_back({.code = FindingCode::role_not_found,
                        .severity = Severity::warning,
                        .field = FieldPath{"roleRef"},
                        .detail = in_backticks(detail::shown(kind, binding.metadata)) + " names " +
                                  in_backticks(detail::shown(binding.role_ref.kind, role)),
                        .object = detail::place_of(kind, binding.metadata)});
  };
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings)
    look_for_role(binding, "ClusterRoleBinding");
  for (const RoleBinding& binding : rbac.role_bindings) look_for_role(binding, "RoleBinding");
  return findings;
}

}  // namespace SCHEDPOL_NAMESPACE::rbac
