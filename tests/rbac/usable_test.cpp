// SPDX-License-Identifier: Apache-2.0
#include <schedpol/rbac/usable.hpp>

#include "grants.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace usable_test {

using namespace grants;

static_assert(std::is_aggregate_v<Access>);
static_assert(std::is_nothrow_move_constructible_v<Access>);
static_assert(std::equality_comparable<Access>);
static_assert(std::is_aggregate_v<ClusterRoleBinding>);
static_assert(std::is_aggregate_v<Rbac>);
static_assert(std::is_aggregate_v<User>);
static_assert(std::is_aggregate_v<Access>);
static_assert(std::is_nothrow_move_constructible_v<Rbac>);
static_assert(std::is_nothrow_move_constructible_v<User>);
static_assert(std::equality_comparable<Rbac>);
static_assert(!std::is_convertible_v<ClusterRole, Role>);
static_assert(!std::is_convertible_v<ClusterRoleBinding, RoleBinding>);

TEST_CASE("without roles and bindings nobody may use anything") {
  CHECK(usable(policies, tester, "team-a", {}) == Names{});
  CHECK(usable({}, tester, "team-a", everywhere({rule()})) == Names{});
}

TEST_CASE("a Role without a namespace is no ClusterRole") {
  Rbac rbac = everywhere({});
  rbac.cluster_roles.clear();
  rbac.roles = {{named("reader"), {rule()}}};
  CHECK(usable(policies, tester, "team-a", rbac) == Names{});
  rbac.cluster_roles = {{named("reader"), {rule()}}};
  CHECK(usable(policies, tester, "team-a", rbac) == every_policy);
}

TEST_CASE("a binding grants where it stands") {
  Rbac cluster_role_by_role_binding = in_namespace("team-a", {});
  cluster_role_by_role_binding.roles.clear();
  cluster_role_by_role_binding.role_bindings[0].role_ref = role_ref("ClusterRole", "reader");
  cluster_role_by_role_binding.cluster_roles = {{named("reader"), {rule()}}};
  struct Case {
    std::string name;
    Rbac rbac;
    std::string namespace_;
    bool may;
  };
  const Case cases[] = {
      {"a ClusterRoleBinding: in a namespace", everywhere({rule()}), "team-a", true},
      {"a ClusterRoleBinding: in another", everywhere({rule()}), "team-b", true},
      {"a ClusterRoleBinding: in none", everywhere({rule()}), "", true},
      {"a RoleBinding to a Role: in its namespace", in_namespace("team-a", {rule()}), "team-a",
       true},
      {"a RoleBinding to a Role: in another", in_namespace("team-a", {rule()}), "team-b", false},
      {"a RoleBinding to a Role: in none", in_namespace("team-a", {rule()}), "", false},
      {"a RoleBinding without a namespace: in none", in_namespace("", {rule()}), "", false},
      {"a RoleBinding without a namespace: in a namespace", in_namespace("", {rule()}), "team-a",
       false},
      {"a RoleBinding to a ClusterRole: in its namespace", cluster_role_by_role_binding, "team-a",
       true},
      {"a RoleBinding to a ClusterRole: in another", cluster_role_by_role_binding, "team-b", false},
      {"a RoleBinding to a ClusterRole: in none", cluster_role_by_role_binding, "", false},
      {"a star is no wildcard for a RoleBinding's namespace", in_namespace("*", {rule()}), "team-a",
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(usable(policies, tester, c.namespace_, c.rbac) == (c.may ? every_policy : Names{}));
  }
}

TEST_CASE("a reference to a role that is not there grants nothing") {
  struct Case {
    std::string name;
    RoleRef ref;
    bool cluster_binding;
    bool may;
  };
  // Roles `local` of team-a, `foreign` of team-b, `both` of either; ClusterRoles `global`, `both`.
  const Case cases[] = {
      {"RoleBinding to a Role", role_ref("Role", "local"), false, true},
      {"RoleBinding to a Role of another namespace", role_ref("Role", "foreign"), false, false},
      {"RoleBinding to a Role that is nowhere", role_ref("Role", "missing"), false, false},
      {"RoleBinding to a Role that is a ClusterRole", role_ref("Role", "global"), false, false},
      {"RoleBinding to a ClusterRole", role_ref("ClusterRole", "global"), false, true},
      {"RoleBinding to a ClusterRole that is a Role", role_ref("ClusterRole", "local"), false,
       false},
      {"RoleBinding to a ClusterRole that is nowhere", role_ref("ClusterRole", "missing"), false,
       false},
      {"RoleBinding to an unknown kind", role_ref("Group", "global"), false, false},
      {"RoleBinding to no kind", role_ref("", "both"), false, false},
      {"RoleBinding to a kind in another case", role_ref("role", "local"), false, false},
      {"RoleBinding to a star", role_ref("ClusterRole", "*"), false, false},
      {"RoleBinding to no name", role_ref("Role", ""), false, false},
      {"ClusterRoleBinding to a ClusterRole", role_ref("ClusterRole", "global"), true, true},
      {"ClusterRoleBinding to a ClusterRole that is a Role", role_ref("ClusterRole", "local"), true,
       false},
      {"ClusterRoleBinding to a ClusterRole that is nowhere", role_ref("ClusterRole", "missing"),
       true, false},
      {"ClusterRoleBinding to a Role", role_ref("Role", "local"), true, false},
      {"ClusterRoleBinding to a Role, a ClusterRole has the name", role_ref("Role", "both"), true,
       false},
      {"ClusterRoleBinding to no kind", role_ref("", "global"), true, false},
      {"ClusterRoleBinding to a star", role_ref("ClusterRole", "*"), true, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Rbac rbac;
    rbac.roles = {{named("local", "team-a"), {rule()}},
                  {named("foreign", "team-b"), {rule()}},
                  {named("both", "team-a"), {rule()}},
                  {named("both", "team-b"), {rule()}}};
    rbac.cluster_roles = {{named("global"), {rule()}}, {named("both"), {rule()}}};
    if (c.cluster_binding) {
      rbac.cluster_role_bindings = {{named("binding"), c.ref, {user("tester")}}};
    } else {
      rbac.role_bindings = {{named("binding", "team-a"), c.ref, {user("tester")}}};
    }
    CHECK(usable(policies, tester, "team-a", rbac) == (c.may ? every_policy : Names{}));
  }
}

TEST_CASE("the roles of a user that are not there are told, each once") {
  const Rbac rbac{
      .roles = {{named("here", "shop"), {}}},
      .cluster_roles = {{named("there"), {rule()}}},
      .role_bindings = {{named("a", "shop"), role_ref("Role", "here"), {user("ann")}},
                        {named("b", "shop"), role_ref("Role", "gone"), {user("ann")}},
                        {named("c", "shop"), role_ref("ClusterRole", "lost"), {group("devs")}},
                        {named("d", "other"), role_ref("Role", "far"), {user("ann")}},
                        {named("e", "shop"), role_ref("Unknown", "odd"), {user("ann")}}},
      .cluster_role_bindings = {{named("f"), role_ref("ClusterRole", "there"), {user("ann")}},
                                {named("g"), role_ref("ClusterRole", "lost"), {user("ann")}},
                                {named("h"), role_ref("ClusterRole", "bobs"), {user("bob")}}}};
  const CompiledRbac compiled = compile(rbac);
  using Missing = std::vector<RoleRef>;
  CHECK(compiled.missing_roles({"ann", {"devs", "devs"}}, "shop") ==
        Missing{role_ref("ClusterRole", "lost"), role_ref("Role", "gone")});
  CHECK(compiled.missing_roles({"ann", {}}, "") == Missing{role_ref("ClusterRole", "lost")});
  CHECK(compiled.missing_roles({"eve", {}}, "shop").empty());
  CHECK(CompiledRbac().missing_roles({"ann", {}}, "shop").empty());
}

TEST_CASE("a rule applies when verb, API group and resource are listed or a star is") {
  struct Case {
    std::string name;
    PolicyRule rule;
    bool may;
  };
  const Texts use = {"use"};
  const Texts group = {"schedpol.io"};
  const Texts resources = {"schedulingpolicies"};
  const Texts star = {"*"};
  const Case cases[] = {
      {"all three", {use, group, resources, {}}, true},
      {"among others",
       {{"get", "use"}, {"apps", "schedpol.io"}, {"pods", "schedulingpolicies"}, {}},
       true},
      {"any verb", {star, group, resources, {}}, true},
      {"any API group", {use, star, resources, {}}, true},
      {"any resource", {use, group, star, {}}, true},
      {"anything", {star, star, star, {}}, true},
      {"a star among others", {{"get", "*"}, {"apps", "*"}, {"pods", "*"}, {}}, true},
      {"another verb", {{"get"}, group, resources, {}}, false},
      {"a verb in another case", {{"Use"}, group, resources, {}}, false},
      {"no verb", {{}, group, resources, {}}, false},
      {"another API group", {use, {"apps"}, resources, {}}, false},
      {"the core API group", {use, {""}, resources, {}}, false},
      {"no API group", {use, {}, resources, {}}, false},
      {"an API group with its version", {use, {"schedpol.io/v1alpha1"}, resources, {}}, false},
      {"another resource", {use, group, {"pods"}, {}}, false},
      {"no resource", {use, group, {}, {}}, false},
      {"a subresource", {use, group, {"schedulingpolicies/status"}, {}}, false},
      {"a pattern", {use, group, {"scheduling*"}, {}}, false},
      {"nothing at all", {}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(usable(policies, tester, "", everywhere({c.rule})) == (c.may ? every_policy : Names{}));
    CHECK(usable(policies, tester, "team-a", in_namespace("team-a", {c.rule})) ==
          (c.may ? every_policy : Names{}));
  }
}

TEST_CASE("resource names limit a rule to the policies they list") {
  struct Case {
    std::string name;
    std::vector<PolicyRule> rules;
    Names usable;
  };
  const PolicyRule other = {{"get"}, {"schedpol.io"}, {"schedulingpolicies"}, {}};
  const Case cases[] = {
      {"none listed: all", {rule()}, every_policy},
      {"one", {rule({"gpu"})}, {"gpu"}},
      {"two, in byte order", {rule({"gpu", "Edge"})}, {"Edge", "gpu"}},
      {"a policy that is not there", {rule({"missing"})}, {}},
      {"one that is and one that is not", {rule({"missing", "gpu"})}, {"gpu"}},
      {"a star is a name like any other", {rule({"*"})}, {"*"}},
      {"another case", {rule({"GPU"})}, {}},
      {"a pattern", {rule({"g*"})}, {}},
      {"an empty name", {rule({""})}, {}},
      {"two rules", {rule({"restricted"}), rule({"gpu"})}, {"gpu", "restricted"}},
      {"two rules of one policy", {rule({"gpu"}), rule({"gpu"})}, {"gpu"}},
      {"a limited rule and an unlimited one", {rule({"gpu"}), rule()}, every_policy},
      {"an unlimited rule and a limited one", {rule(), rule({"gpu"})}, every_policy},
      {"an unlimited rule for another verb", {rule({"gpu"}), other}, {"gpu"}},
      {"a name listed for another verb", {{{"get"}, {"*"}, {"*"}, {"gpu"}}}, {}},
      {"no rules", {}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(usable(policies, tester, "team-a", everywhere(c.rules)) == c.usable);
    CHECK(usable(policies, tester, "team-a", in_namespace("team-a", c.rules)) == c.usable);
  }
}

TEST_CASE("what all bindings grant adds up") {
  Rbac rbac = in_namespace("team-a", {rule({"gpu"})});
  rbac.role_bindings.push_back(
      {named("elsewhere", "team-b"), role_ref("Role", "reader"), {user("tester")}});
  rbac.roles.push_back({named("reader", "team-b"), {rule({"Edge"})}});
  rbac.cluster_roles = {{named("restricted"), {rule({"restricted"})}}};
  rbac.cluster_role_bindings = {
      {named("all"), role_ref("ClusterRole", "restricted"), {group("system:authenticated")}}};
  CHECK(usable(policies, tester, "team-a", rbac) == Names{"gpu", "restricted"});
  CHECK(usable(policies, tester, "team-b", rbac) == Names{"Edge", "restricted"});
  CHECK(usable(policies, tester, "team-c", rbac) == Names{"restricted"});
  CHECK(usable(policies, tester, "", rbac) == Names{"restricted"});
  CHECK(usable(policies, {"other", {}}, "team-a", rbac) == Names{});
}

TEST_CASE("what bindings of one kind grant adds up, whichever of them come first") {
  struct Case {
    std::string name;
    std::vector<std::string> bound;  // to the roles of these names, in this order
    Names usable;
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"the first", {"gpu"}, {"gpu"}},
      {"the second", {"Edge"}, {"Edge"}},
      {"both", {"gpu", "Edge"}, {"Edge", "gpu"}},
      {"both, the other first", {"Edge", "gpu"}, {"Edge", "gpu"}},
      {"one of them twice", {"gpu", "gpu"}, {"gpu"}},
      {"a role that is not there before one that is", {"missing", "gpu"}, {"gpu"}},
      {"three", {"restricted", "gpu", "Edge"}, {"Edge", "gpu", "restricted"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Rbac to_roles;
    Rbac to_cluster_roles;
    Rbac everywhere_too;
    for (const char* name : {"gpu", "Edge", "restricted"}) {
      to_roles.roles.push_back({named(name, "team-a"), {rule({name})}});
      to_cluster_roles.cluster_roles.push_back({named(name), {rule({name})}});
    }
    everywhere_too.cluster_roles = to_cluster_roles.cluster_roles;
    for (const std::string& name : c.bound) {
      to_roles.role_bindings.push_back(
          {named(name, "team-a"), role_ref("Role", name), {user("tester")}});
      to_cluster_roles.role_bindings.push_back(
          {named(name, "team-a"), role_ref("ClusterRole", name), {user("tester")}});
      everywhere_too.cluster_role_bindings.push_back(
          {named(name), role_ref("ClusterRole", name), {user("tester")}});
    }
    CHECK(usable(policies, tester, "team-a", to_roles) == c.usable);
    CHECK(usable(policies, tester, "team-a", to_cluster_roles) == c.usable);
    CHECK(usable(policies, tester, "team-a", everywhere_too) == c.usable);
  }
}

TEST_CASE("bindings of other subjects and namespaces stand in no one's way") {
  Rbac rbac = in_namespace("team-a", {rule({"gpu"})});
  auto& bindings = rbac.role_bindings;
  bindings.insert(bindings.begin(),
                  {{named("before", "team-b"), role_ref("Role", "reader"), {user("tester")}},
                   {named("other", "team-a"), role_ref("Role", "reader"), {user("other")}},
                   {named("nobody", "team-a"), role_ref("Role", "reader"), {}}});
  CHECK(usable(policies, tester, "team-a", rbac) == Names{"gpu"});
  CHECK(usable(policies, tester, "team-b", rbac) == Names{});
}

TEST_CASE("of roles of one name all rules count") {
  Rbac rbac = everywhere({rule({"gpu"})});
  rbac.cluster_roles.push_back({named("reader"), {rule({"Edge"})}});
  CHECK(usable(policies, tester, "", rbac) == Names{"Edge", "gpu"});
}

TEST_CASE("usable policies are in byte order, each once") {
  const Names given = {"b", "a", "b", "B", "a/", "a", ""};
  CHECK(usable(given, tester, "", everywhere({rule()})) == Names{"", "B", "a", "a/", "b"});
  CHECK(usable(given, tester, "", everywhere({rule({"b", "a"})})) == Names{"a", "b"});
}

TEST_CASE("verb, API group and resource can be others") {
  CHECK((Access{} == Access{"use", "schedpol.io", "schedulingpolicies"}));
  const Access access = {"apply", "scheduling.example.com", "podpolicies"};
  const Rbac rbac =
      everywhere({{{"apply"}, {"scheduling.example.com"}, {"podpolicies"}, {"gpu"}}, rule()});
  CHECK(usable(policies, tester, "", rbac, access) == Names{"gpu"});
  CHECK(usable(policies, tester, "", rbac) == every_policy);
  CHECK(usable(policies, tester, "", everywhere({rule()}), access) == Names{});
}

TEST_CASE("what is granted is all policies or a list of names, whether or not there are such") {
  const User somebody = service_account_user("team-a", "build");
  CHECK(CompiledRbac().granted(somebody, "team-a") == Grant{});
  CHECK(!Grant{}.contains("a"));
  PolicyRule two = rule();
  two.resource_names = {"b", "a", "b"};
  PolicyRule one = rule();
  one.resource_names = {"c"};
  const CompiledRbac some = compile(everywhere({two, one}, service_account("team-a", "build")));
  const Grant granted = some.granted(somebody, "team-a");
  CHECK(granted == Grant{.names = {"a", "b", "c"}});
  CHECK(granted.contains("b"));
  CHECK(!granted.contains("d"));
  CHECK(!granted.contains("*"));
  CHECK(some.granted(somebody, "") == granted);
  CHECK(some.granted(service_account_user("team-a", "other"), "team-a") == Grant{});
  PolicyRule all = rule();
  all.resource_names = {};
  const Grant everything =
      compile(everywhere({two, all}, service_account("team-a", "build"))).granted(somebody, "");
  CHECK(everything == Grant{.all = true});
  CHECK(everything.contains("whatever"));
}

// Objects of a few names, so that what is put in is mostly there.
class Generator : public testing::Random {
 public:
  using Random::Random;

  std::string name() { return std::string(1, "ab"[below(2)]); }
  Subject subject() {
    switch (below(4)) {
      case 0: return user(name());
      case 1: return group(name());
      case 2: return service_account(chance(50) ? "" : name(), name());
      default: return {"Robot", "", name(), ""};
    }
  }
  Rbac rbac(std::size_t most) {
    Rbac rbac;
    const auto rules = [&] {
      return std::vector<PolicyRule>{rule(chance(10) ? Texts{} : Texts{name(), name()})};
    };
    const auto subjects = [&] { return std::vector<Subject>{subject(), subject()}; };
    const auto in = [&] { return chance(10) ? "" : name(); };
    const auto role = [&] { return role_ref(chance(50) ? "Role" : "ClusterRole", name()); };
    for (std::size_t i = below(most) + 1; i > 0; --i) {
      switch (below(4)) {
        case 0: rbac.cluster_roles.push_back({named(name(), in()), rules()}); break;
        case 1: rbac.roles.push_back({named(name(), in()), rules()}); break;
        case 2:
          rbac.cluster_role_bindings.push_back({named(name(), in()), role(), subjects()});
          break;
        default: rbac.role_bindings.push_back({named(name(), in()), role(), subjects()});
      }
    }
    return rbac;
  }
};

/// `f(list of one, list of the other)` for the four kinds of objects.
template <class F>
void for_each_kind(Rbac& one, const Rbac& other, F&& f) {
  f(one.roles, other.roles, true);
  f(one.cluster_roles, other.cluster_roles, false);
  f(one.role_bindings, other.role_bindings, true);
  f(one.cluster_role_bindings, other.cluster_role_bindings, false);
}

TEST_CASE("what is compiled with other objects in the place of some is what they all come to") {
  int granted = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(testing::tries(400)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
    Rbac objects = generate.rbac(12);
    CompiledRbac compiled = compile(objects);
    for (int step = 0; step < 4; ++step) {
      const Rbac changed = generate.rbac(3);
      const bool add = generate.chance(70);
      const CompiledRbac before = compiled;
      const Grant had = before.granted({"a", {"a", "b"}}, "a");
      compiled = add ? compiled.with(changed) : compiled.without(changed);
      CHECK(before.granted({"a", {"a", "b"}}, "a") == had);
      for_each_kind(objects, changed, [&](auto& all, const auto& gone, bool namespaced) {
        std::erase_if(all, [&](const auto& object) {
          return std::any_of(gone.begin(), gone.end(), [&](const auto& named) {
            return named.metadata.name == object.metadata.name &&
                   (!namespaced || named.metadata.namespace_ == object.metadata.namespace_);
          });
        });
        if (add) all.insert(all.end(), gone.begin(), gone.end());
      });
      const CompiledRbac anew = compile(objects);
      for (const std::string_view namespace_ : {"", "a", "b"}) {
        for (const User& asking : {User{"a", {}}, User{"b", {"a", "b", "a"}}, User{"", {"b"}},
                                   service_account_user("a", "b")}) {
          const Grant grant = compiled.granted(asking, namespace_);
          CHECK(grant == anew.granted(asking, namespace_));
          granted += int(grant.all) + int(grant.names.size());
        }
      }
    }
  }
  CHECK(granted >= testing::at_least(1000));
  CHECK(CompiledRbac().with(everywhere({rule()})).granted(tester, "") == Grant{});
  CHECK(CompiledRbac().without(everywhere({rule()})).granted(tester, "") == Grant{});
}

TEST_CASE("of bindings of one name each is to its own role") {
  const CompiledRbac compiled = compile(
      {.cluster_role_bindings = {
           {named("b"), role_ref("ClusterRole", "r"), {user("u")}},
           {named("b"), role_ref("ClusterRole", "s"), {service_account("team-a", "build")}}}});
  for (const char* role : {"r", "s"}) {
    CAPTURE(role);
    CHECK(compiled.bound_accounts({.cluster_roles = {{named(role), {}}}}) ==
          std::vector<ServiceAccounts>{{"team-a", "build"}});
  }
}

TEST_CASE("what service accounts may use together is what is granted to all of them") {
  const CompiledRbac compiled =
      compile(everywhere({rule()}, group("system:serviceaccounts:team-a")));
  CHECK(compiled.granted(ServiceAccounts{"team-a", "build"}).all);
  CHECK(compiled.granted(ServiceAccounts{"team-a", std::nullopt}).contains("gpu"));
  CHECK(compiled.granted(ServiceAccounts{"b", std::nullopt}) == Grant{});
  CHECK(compiled.granted(ServiceAccounts{}) == Grant{});
  const CompiledRbac of_one = compile(everywhere({rule()}, service_account("team-a", "default")));
  CHECK(of_one.granted(ServiceAccounts{"team-a", "default"}).contains("gpu"));
  CHECK(of_one.granted(ServiceAccounts{"team-a", std::nullopt}) == Grant{});
  const CompiledRbac of_all = compile(everywhere({rule()}, group("system:authenticated")));
  CHECK(of_all.granted(ServiceAccounts{}).contains("gpu"));
  const CompiledRbac of_no_namespace =
      compile(everywhere({rule()}, group("system:serviceaccounts:")));
  CHECK(of_no_namespace.granted(ServiceAccounts{}) == Grant{});
}

}  // namespace usable_test
}  // namespace SCHEDPOL_NAMESPACE::rbac
