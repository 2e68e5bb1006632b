// SPDX-License-Identifier: Apache-2.0
#include <schedpol/rbac/usable.hpp>

#include "grants.hpp"

#include <optional>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace subjects_test {

using namespace grants;

TEST_CASE("a subject is a user by name, a group by membership, a service account by its user") {
  const User build = service_account_user("team-a", "build");
  const User robot = {"system:serviceaccount:team-a:build", {}};
  struct Case {
    std::string name;
    Subject subject;
    User who;
    bool may;
  };
  const Case cases[] = {
      {"a user", user("tester"), tester, true},
      {"another user", user("testers"), tester, false},
      {"another case", user("Tester"), tester, false},
      {"a star is no wildcard for users", user("*"), tester, false},
      {"a star is a user name like any other", user("*"), {"*", {}}, true},
      {"a group", group("testers"), tester, true},
      {"the group of all authenticated", group("system:authenticated"), tester, true},
      {"another group", group("tester"), tester, false},
      {"a star is no wildcard for groups", group("*"), tester, false},
      {"a group that only one without groups is not in", group("testers"), {"tester", {}}, false},
      {"a user is no group", user("testers"), {"tester", {"testers"}}, false},

      {"a service account", service_account("team-a", "build"), build, true},
      {"a user with the name of a service account's user", service_account("team-a", "build"),
       robot, true},
      {"the user name of a service account", user("system:serviceaccount:team-a:build"), build,
       true},
      {"another service account", service_account("team-a", "deploy"), build, false},
      {"a service account of another namespace", service_account("team-b", "build"), build, false},
      {"a star is no wildcard for service accounts", service_account("team-a", "*"), build, false},
      {"a star is no wildcard for their namespaces", service_account("*", "build"), build, false},
      {"a service account without a namespace", service_account("", "build"), build, false},
      {"a service account without a namespace, for one in no namespace",
       service_account("", "build"), service_account_user("", "build"), false},
      {"a service account without a name", service_account("team-a", ""),
       service_account_user("team-a", ""), false},
      {"a service account without a name, for a user whose name ends before it",
       service_account("team-a", ""),
       {"system:serviceaccount:team-a:", {}},
       false},
      {"all service accounts", group("system:serviceaccounts"), build, true},
      {"all service accounts of a namespace", group("system:serviceaccounts:team-a"), build, true},
      {"all service accounts of another", group("system:serviceaccounts:team-b"), build, false},
      {"service accounts are authenticated", group("system:authenticated"), build, true},
      {"a name alone is no user's service account", service_account("team-a", "tester"), tester,
       false},
      {"a user without the prefix",
       service_account("team-a", "build"),
       {"team-a:build", {}},
       false},

      {"an unknown kind", {"Robot", "", "tester", ""}, tester, false},
      {"an unknown kind with the namespace and name of a service account",
       {"Robot", "", "build", "team-a"},
       build,
       false},
      {"no kind with the namespace and name of a service account",
       {"", "", "build", "team-a"},
       build,
       false},
      {"a group with the namespace and name of a service account",
       {"Group", "", "build", "team-a"},
       build,
       false},
      {"no kind", {"", "", "tester", ""}, tester, false},
      {"a kind in another case", {"user", "", "tester", ""}, tester, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Names expected = c.may ? every_policy : Names{};
    CHECK(usable(policies, c.who, "other", everywhere({rule()}, c.subject)) == expected);
  }
}

TEST_CASE("a service account without a namespace is in that of its RoleBinding") {
  struct Case {
    std::string name;
    User who;
    std::string namespace_;
    bool may;
  };
  const Case cases[] = {
      {"the account of the namespace", service_account_user("team-a", "build"), "team-a", true},
      {"the account of another", service_account_user("team-b", "build"), "team-a", false},
      {"asked for another", service_account_user("team-a", "build"), "team-b", false},
      {"the account and question of another", service_account_user("team-b", "build"), "team-b",
       false},
  };
  const Rbac rbac = in_namespace("team-a", {rule()}, service_account("", "build"));
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(usable(policies, c.who, c.namespace_, rbac) == (c.may ? every_policy : Names{}));
  }
}

TEST_CASE("a service account without a namespace is in none for a ClusterRoleBinding") {
  const Rbac rbac = everywhere({rule()}, service_account("", "build"));
  for (const char* namespace_ : {"team-a", "team-b", ""}) {
    CAPTURE(namespace_);
    CHECK(usable(policies, service_account_user("team-a", "build"), namespace_, rbac) == Names{});
  }
}

TEST_CASE("a RoleBinding may name a service account of another namespace") {
  const Rbac rbac = in_namespace("team-a", {rule()}, service_account("team-b", "build"));
  CHECK(usable(policies, service_account_user("team-b", "build"), "team-a", rbac) == every_policy);
  CHECK(usable(policies, service_account_user("team-a", "build"), "team-a", rbac) == Names{});
  CHECK(usable(policies, service_account_user("team-b", "build"), "team-b", rbac) == Names{});
}

TEST_CASE("one of the subjects is enough") {
  Rbac rbac = everywhere({rule()}, user("other"));
  rbac.cluster_role_bindings[0].subjects.push_back(group("testers"));
  CHECK(usable(policies, tester, "team-a", rbac) == every_policy);
  rbac.cluster_role_bindings[0].subjects.clear();
  CHECK(usable(policies, tester, "team-a", rbac) == Names{});
}

TEST_CASE("a service account is a user in three groups") {
  const User build = service_account_user("team-a", "build");
  CHECK(build.name == "system:serviceaccount:team-a:build");
  CHECK(build.groups ==
        Names{"system:serviceaccounts", "system:serviceaccounts:team-a", "system:authenticated"});
  CHECK(service_account_user("team-a", "") == service_account_user("team-a", "default"));
  CHECK(service_account_user("team-a", "").name == "system:serviceaccount:team-a:default");
}

TEST_CASE("a pod runs as its service account in its namespace") {
  struct Case {
    std::string name;
    std::string service_account_name;
    std::string service_account;
    std::string runs_as;
  };
  const Case cases[] = {
      {"none: default", "", "", "default"},
      {"serviceAccountName", "build", "", "build"},
      {"the deprecated serviceAccount", "", "deploy", "deploy"},
      {"serviceAccountName before serviceAccount", "build", "deploy", "build"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod;
    pod.metadata.name = "web";
    pod.metadata.namespace_ = "team-a";
    pod.spec.service_account_name = c.service_account_name;
    pod.spec.service_account = c.service_account;
    CHECK(user_of(pod) == service_account_user("team-a", c.runs_as));
    const Rbac rbac = everywhere({rule()}, service_account("team-a", c.runs_as));
    CHECK(usable(policies, user_of(pod), "team-a", rbac) == every_policy);
  }
}

TEST_CASE("a subject without a name is nobody, nor is a user without one anybody's subject") {
  for (const Subject& subject : {user(""), group(""), service_account("team-a", "")}) {
    const CompiledRbac compiled = compile(everywhere({rule()}, subject));
    for (const User& asking : {User{"", {""}}, User{"system:serviceaccount:team-a:", {""}}})
      CHECK(compiled.granted(asking, "team-a") == Grant{});
  }
}

TEST_CASE("a binding is for one service account, those of a namespace or all") {
  using Bound = std::vector<ServiceAccounts>;
  struct Case {
    std::string name;
    Subject subject;
    Bound everywhere;
    Bound in_team_a;
  };
  const Bound build = {{"team-a", "build"}};
  const Bound team_a = {{"team-a", std::nullopt}};
  const Bound all = {ServiceAccounts{}};
  const Case cases[] = {
      {"a service account", service_account("team-a", "build"), build, build},
      {"of the binding's namespace", service_account("", "build"), {}, build},
      {"of another namespace", service_account("b", "build"), {{"b", "build"}}, {}},
      {"the user that it acts as", user("system:serviceaccount:team-a:build"), build, build},
      {"a user with one colon more",
       user("system:serviceaccount:team-a:x:y"),
       {{"team-a", "x:y"}, {"team-a:x", "y"}},
       {{"team-a", "x:y"}}},
      {"a user with two colons in a row",
       user("system:serviceaccount:team-a::y"),
       {{"team-a", ":y"}, {"team-a:", "y"}},
       {{"team-a", ":y"}}},
      {"another user", user("system:serviceaccount"), {}, {}},
      {"a group called like the user of a service account",
       group("system:serviceaccount:team-a:build"),
       {},
       {}},
      {"a user called like the group of a namespace",
       user("system:serviceaccounts:team-a"),
       {},
       {}},
      {"the group of a namespace", group("system:serviceaccounts:team-a"), team_a, team_a},
      {"the group of another one", group("system:serviceaccounts:b"), {{"b", std::nullopt}}, {}},
      {"the group of all", group("system:serviceaccounts"), all, team_a},
      {"whoever is authenticated", group("system:authenticated"), all, team_a},
      {"another group", group("build"), {}, {}},
      {"a user called like a group", user("system:serviceaccounts"), {}, {}},
      {"nobody", service_account("team-a", ""), {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const ClusterRole role{.metadata = {.name = "r"}, .rules = {rule()}};
    const RoleRef to_role{.kind = "ClusterRole", .name = "r"};
    const Rbac objects{
        .cluster_roles = {role},
        .role_bindings = {{{.name = "b", .namespace_ = "team-a"}, to_role, {c.subject}}},
        .cluster_role_bindings = {{{.name = "b"}, to_role, {c.subject}}}};
    const CompiledRbac compiled = compile(objects);
    const Rbac of_cluster{.cluster_role_bindings = {{.metadata = {.name = "b"}}}};
    const Rbac of_team_a{.role_bindings = {{.metadata = {.name = "b", .namespace_ = "team-a"}},
                                           {.metadata = {.name = "b", .namespace_ = "other"}}}};
    CHECK(compiled.bound_accounts(of_cluster) == c.everywhere);
    CHECK(compiled.bound_accounts(of_team_a) == c.in_team_a);
    const Rbac the_role{.cluster_roles = {{.metadata = {.name = "r"}}}};
    CHECK(compiled.bound_accounts(the_role).size() == c.everywhere.size() + c.in_team_a.size());
    CHECK(compiled.bound_accounts({.cluster_roles = {{.metadata = {.name = "other"}}}}).empty());
    for (const ServiceAccounts& accounts : c.everywhere)
      CHECK(compiled.without(of_team_a).granted(accounts).all);
  }
  CHECK(CompiledRbac().bound_accounts(everywhere({rule()})).empty());
}

TEST_CASE("a binding is for each of its subjects") {
  Rbac objects = everywhere({rule()});
  objects.cluster_role_bindings[0].subjects = {service_account("team-a", "build"), user("tester"),
                                               service_account("team-b", "deploy")};
  CHECK(compile(objects).bound_accounts(objects) ==
        std::vector<ServiceAccounts>{{"team-a", "build"}, {"team-b", "deploy"}});
}

TEST_CASE("the service account of a pod has a name, whichever field says it") {
  Pod pod;
  CHECK(account_of(pod) == "default");
  pod.spec.service_account = "old";
  CHECK(account_of(pod) == "old");
  pod.spec.service_account_name = "new";
  CHECK(account_of(pod) == "new");
}

}  // namespace subjects_test
}  // namespace SCHEDPOL_NAMESPACE::rbac
