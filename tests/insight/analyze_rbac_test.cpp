// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_rbac.hpp>

#include <schedpol/rbac/builtin.hpp>

#include "../support/findings.hpp"
#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace analyze_rbac_test {

using testing::List;

List found(std::vector<PolicyRule> rules,
           std::vector<Subject> subjects = {{.kind = "Group", .name = "team"}}) {
  Rbac rbac;
  rbac.cluster_roles = {{{.name = "admin"}, std::move(rules)}};
  rbac.cluster_role_bindings = {
      {{.name = "b"}, {.kind = "ClusterRole", .name = "admin"}, std::move(subjects)}};
  return testing::texts(analyze(rbac));
}

TEST_CASE("a role that grants the use of policies through a wildcard, and one that names it") {
  const List by_verb = {
      "`gpu`: `rules[0].verbs`: the role `ClusterRole admin` grants the use of policies through "
      "`*`"};
  const PolicyRule named{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, {"gpu"}};
  PolicyRule rule = named;
  CHECK(found({rule}).empty());
  rule.resource_names = {};
  CHECK(found({rule}).empty());
  rule = named;
  rule.verbs = {"*"};
  CHECK(found({rule}) == by_verb);
  rule.verbs = {"*", "use"};
  CHECK(found({rule}).empty());
  rule.api_groups = {"*"};
  CHECK(found({rule, named}) == List{"`gpu`: `rules[0].apiGroups`: the role `ClusterRole admin` "
                                     "grants the use of policies through `*`"});
  rule = named;
  rule.resources = {"*"};
  CHECK(found({named, rule}) == List{"`gpu`: `rules[1].resources`: the role `ClusterRole admin` "
                                     "grants the use of policies through `*`"});
  // Of another group it grants nothing, whoever wrote it.
  rule.api_groups = {"apps"};
  CHECK(found({rule}).empty());
  for (const PolicyRule& of_proposal :
       {PolicyRule{{"use"}, {"extensions"}, {"schedulingpolicies"}, {"gpu"}},
        PolicyRule{
            {"get", "use"}, {"apps", "extensions"}, {"pods", "schedulingpolicies"}, {"gpu"}}})
    CHECK(found({of_proposal}) ==
          List{"`gpu`: `rules[0].apiGroups`: the rule grants no use of policies: "
               "`ClusterRole admin` has to name their API group, `schedpol.io`"});
  CHECK(found({{{"use"}, {"*"}, {"schedulingpolicies"}, {}}}).size() == 1);
  // Of another verb or another resource it is about something else.
  CHECK(found({{{"get"}, {"*"}, {"schedulingpolicies"}, {}}}).empty());
  CHECK(found({{{"use"}, {"*"}, {"pods"}, {}}}).empty());
  CHECK(found({{{"get"}, {"extensions"}, {"schedulingpolicies"}, {}}}).empty());
  CHECK(found({{{"use"}, {"extensions"}, {"pods"}, {}}}).empty());
  CHECK(found({{{"*"}, {"*"}, {"*"}, {}}}) ==
        List{"`rules[0].verbs`: the role `ClusterRole admin` grants the use of policies through "
             "`*`"});
}

TEST_CASE("only the roles that somebody has are looked at") {
  const std::vector<PolicyRule> all = {{{"*"}, {"*"}, {"*"}, {}}};
  CHECK(found(all).size() == 1);
  CHECK(found(all, {}).empty());
  CHECK(found(all, {{.kind = "Nobody", .name = "team"}}).empty());
  Rbac rbac;
  rbac.roles = {{{.name = "admin", .namespace_ = "shop"}, all},
                {{.name = "admin", .namespace_ = "office"}, all}};
  rbac.role_bindings = {{{.name = "b", .namespace_ = "shop"},
                         {.kind = "Role", .name = "admin"},
                         {{.kind = "ServiceAccount", .name = "web"}}}};
  CHECK(testing::texts(analyze(rbac)) ==
        List{"`rules[0].verbs`: the role `Role shop/admin` grants the use of policies through "
             "`*`"});
  // Each binding gives the role of its kind.
  rbac.cluster_roles = {{{.name = "admin"}, all}};
  rbac.role_bindings[0].role_ref.kind = "ClusterRole";
  CHECK(testing::texts(analyze(rbac)) ==
        List{"`rules[0].verbs`: the role `ClusterRole admin` grants the use of policies through "
             "`*`"});
  rbac.role_bindings[0].role_ref.kind = "Role";
  rbac.role_bindings[0].metadata.namespace_ = "";
  CHECK(testing::texts(analyze(rbac), FindingCode::granted_by_wildcard).empty());
  rbac.cluster_role_bindings = {
      {{.name = "b"}, {.kind = "Role", .name = "admin"}, {{.kind = "User", .name = "u"}}}};
  CHECK(testing::texts(analyze(rbac), FindingCode::granted_by_wildcard).empty());
  // All of them.
  rbac.cluster_roles = {{{.name = "x"}, all}, {{.name = "y"}, all}};
  for (const std::string name : {"x", "y"}) {
    rbac.cluster_role_bindings.push_back(
        {{.name = name}, {.kind = "ClusterRole", .name = name}, {{.kind = "User", .name = "u"}}});
  }
  rbac.role_bindings = {};
  for (const std::string in : {"shop", "office"}) {
    rbac.role_bindings.push_back({{.name = "b", .namespace_ = in},
                                  {.kind = "Role", .name = "admin"},
                                  {{.kind = "User", .name = "u"}}});
  }
  CHECK(testing::texts(analyze(rbac), FindingCode::granted_by_wildcard).size() == 4);
  CHECK(analyze(builtin(own_api_group)).empty());
  CHECK(analyze(builtin()).size() == 2);
}

TEST_CASE("a binding to a role that is not there is found, and its roleRef is the place") {
  struct Case {
    const char* name;
    std::string namespace_;  // of the binding, empty for a ClusterRoleBinding
    RoleRef role;
    std::string found;
  };
  const Case cases[] = {
      {"a Role of the namespace", "shop", {.kind = "Role", .name = "use"}, ""},
      {"a Role of another namespace",
       "office",
       {.kind = "Role", .name = "use"},
       "`RoleBinding office/b` names `Role office/use`"},
      {"a misspelt Role",
       "shop",
       {.kind = "Role", .name = "uses"},
       "`RoleBinding shop/b` names `Role shop/uses`"},
      {"a ClusterRole for a namespace", "shop", {.kind = "ClusterRole", .name = "use-gpu"}, ""},
      {"a ClusterRole", "", {.kind = "ClusterRole", .name = "use-gpu"}, ""},
      {"a Role that is none of the cluster's",
       "",
       {.kind = "ClusterRole", .name = "use"},
       "`ClusterRoleBinding b` names `ClusterRole use`"},
      {"a ClusterRole that is none of the namespace's",
       "shop",
       {.kind = "Role", .name = "use-gpu"},
       "`RoleBinding shop/b` names `Role shop/use-gpu`"},
      {"a Role for the whole cluster, which there is not",
       "",
       {.kind = "Role", .name = "use-gpu"},
       "`ClusterRoleBinding b` names `Role use-gpu`"},
      {"a role of every cluster", "shop", {.kind = "ClusterRole", .name = "edit"}, ""},
      {"one of Kubernetes itself", "", {.kind = "ClusterRole", .name = "system:node"}, ""},
      {"a Role of such a name",
       "shop",
       {.kind = "Role", .name = "edit"},
       "`RoleBinding shop/b` names `Role shop/edit`"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Rbac rbac;
    rbac.roles = {{{.name = "use", .namespace_ = "shop"}, {}}};
    rbac.cluster_roles = {{{.name = "use-gpu"}, {}}};
    if (c.namespace_.empty()) {
      rbac.cluster_role_bindings = {{{.name = "b"}, c.role, {}}};
    } else {
      rbac.role_bindings = {{{.name = "b", .namespace_ = c.namespace_}, c.role, {}}};
    }
    const std::vector<Finding> found = analyze(rbac);
    List wanted;
    if (!c.found.empty())
      wanted.push_back("`roleRef`: " + c.found + ", which is not there, and grants nothing");
    CHECK(testing::texts(found) == wanted);
    for (const Finding& each : found) {
      CHECK(each.code == FindingCode::role_not_found);
      CHECK(each.severity == Severity::warning);
      CHECK(
          to_string(each.object) ==
          (c.namespace_.empty() ? "ClusterRoleBinding[b]" : "RoleBinding[" + c.namespace_ + "/b]"));
    }
  }
}

}  // namespace analyze_rbac_test
}  // namespace SCHEDPOL_NAMESPACE::rbac
