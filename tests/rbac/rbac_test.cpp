// SPDX-License-Identifier: Apache-2.0
#include <schedpol/rbac/rbac.hpp>

#include "../support/print_systems.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace rbac_test {

static_assert(std::is_aggregate_v<PolicyRule>);
static_assert(std::is_aggregate_v<Role>);
static_assert(std::is_aggregate_v<ClusterRole>);
static_assert(std::is_aggregate_v<RoleRef>);
static_assert(std::is_aggregate_v<Subject>);
static_assert(std::is_aggregate_v<RoleBinding>);
static_assert(std::is_aggregate_v<ClusterRoleBinding>);
static_assert(std::is_aggregate_v<Rbac>);
static_assert(std::is_aggregate_v<User>);
static_assert(std::is_nothrow_move_constructible_v<Rbac>);
static_assert(std::is_nothrow_move_constructible_v<User>);
static_assert(std::equality_comparable<Rbac>);
static_assert(std::equality_comparable<User>);
static_assert(!std::is_convertible_v<ClusterRole, Role>);
static_assert(!std::is_convertible_v<ClusterRoleBinding, RoleBinding>);

TEST_CASE("the objects of RBAC are written as in their documents") {
  const ClusterRole role = {.metadata = {.name = "reader"},
                            .rules = {{.verbs = {"get", "use"},
                                       .api_groups = {"schedpol.io"},
                                       .resources = {"schedulingpolicies"},
                                       .resource_names = {"gpu"}}}};
  CHECK(role.rules[0].verbs.size() == 2);
  CHECK(role.rules[0].verbs[1] == "use");
  CHECK(
      (role == ClusterRole{{.name = "reader"},
                           {{{"get", "use"}, {"schedpol.io"}, {"schedulingpolicies"}, {"gpu"}}}}));
  ClusterRole other = role;
  other.rules[0].resource_names = Texts();
  CHECK((other != role));
  const User user = {.name = "tester", .groups = {"testers"}};
  CHECK((user == User{"tester", {"testers"}}));
  CHECK((user != User{"tester", {}}));
  CHECK((Rbac{} == Rbac{.roles = {}, .cluster_roles = {}}));
}

}  // namespace rbac_test
}  // namespace SCHEDPOL_NAMESPACE::rbac
