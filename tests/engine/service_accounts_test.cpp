// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "engines.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace service_accounts_test {

using namespace engines;

TEST_CASE("a pod is judged by the policies that its service account may use, or by all") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  const auto policy = [](const char* name) -> scheduling_policy::SchedulingPolicy {
    return {.metadata = {.name = name}, .spec = {.allowed = {.scheduler_names = {name}}}};
  };
  configuration.objects.scheduling_policies = {policy("one"), policy("two"), policy("three")};
  const auto use = [](const char* name) -> rbac::PolicyRule {
    return {.verbs = {"use"},
            .api_groups = {"schedpol.io"},
            .resources = {"schedulingpolicies"},
            .resource_names = {name}};
  };
  configuration.objects.rbac.cluster_roles = {
      {.metadata = {.name = "one"}, .rules = {use("one")}},
      {.metadata = {.name = "two"}, .rules = {use("two")}},
      {.metadata = {.name = "three"}, .rules = {use("three")}}};
  configuration.objects.rbac.role_bindings = {
      {.metadata = {.name = "all-of-n", .namespace_ = "n"},
       .role_ref = {.kind = "ClusterRole", .name = "one"},
       .subjects = {{.kind = "Group", .name = "system:serviceaccounts:n"}}},
      {.metadata = {.name = "builder", .namespace_ = "n"},
       .role_ref = {.kind = "ClusterRole", .name = "two"},
       .subjects = {{.kind = "ServiceAccount", .name = "builder"}}}};
  configuration.objects.rbac.cluster_role_bindings = {
      {.metadata = {.name = "everywhere"},
       .role_ref = {.kind = "ClusterRole", .name = "three"},
       .subjects = {{.kind = "Group", .name = "team"},
                    {.kind = "Group", .name = "system:serviceaccounts:"},  // of no namespace
                    {.kind = "User", .name = "system:serviceaccount:x:y"}}}};
  struct Case {
    const char* namespace_;
    const char* account;
    std::vector<std::string> policies;
  };
  const Case cases[] = {
      {"n", "", {"one"}},   {"n", "builder", {"one", "two"}},
      {"m", "builder", {}}, {"x", "y", {"three"}},
      {"x", "", {}},
  };
  const Engine engine = engine_of(configuration);
  for (const Case& c : cases) {
    CAPTURE(c.namespace_);
    CAPTURE(c.account);
    Pod pod = pod_in(c.namespace_);
    pod.spec.service_account_name = c.account;
    CHECK(engine.effective_policy(pod).policies() == c.policies);
    for (const std::string name : {"one", "two", "three"}) {
      pod.spec.scheduler_name = name;
      const bool may = std::find(c.policies.begin(), c.policies.end(), name) != c.policies.end();
      CHECK(created(engine, pod).allowed == may);
    }
  }
  CHECK(codes(created(engine, pod_in("x"))) == std::vector{Code::no_usable_policy});
  configuration.settings.access.api_group = "example.com";
  CHECK(engine_of(configuration).effective_policy(pod_in("n")).policies().empty());
  configuration.settings.policy_use = PolicyUse::every;
  CHECK(engine_of(configuration).effective_policy(pod_in("x")).policies().size() == 3);
}

TEST_CASE("whoever depends on what changes is judged anew, and nobody else") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  auto& rbac = configuration.objects.rbac;
  for (const char* name : {"one", "two", "three"}) {
    configuration.objects.scheduling_policies.push_back(
        {.metadata = {.name = name}, .spec = {.allowed = {.scheduler_names = {name}}}});
    rbac.cluster_roles.push_back({.metadata = {.name = name},
                                  .rules = {{.verbs = {"use"},
                                             .api_groups = {"schedpol.io"},
                                             .resources = {"schedulingpolicies"},
                                             .resource_names = {name}}}});
  }
  const auto bind = [&](std::string name, const char* in, const char* role, rbac::Subject subject) {
    rbac.role_bindings.push_back({.metadata = {.name = std::move(name), .namespace_ = in},
                                  .role_ref = {.kind = "ClusterRole", .name = role},
                                  .subjects = {std::move(subject)}});
  };
  bind("all-of-n", "n", "one", {.kind = "Group", .name = "system:serviceaccounts:n"});
  bind("builder", "n", "two", {.kind = "ServiceAccount", .name = "builder"});
  for (int i = 0; i < 50; ++i) {
    const std::string name = "a-" + std::to_string(i);
    bind(name, "m", "three", {.kind = "ServiceAccount", .name = name});
  }
  using Names = std::vector<std::string>;
  const auto policies = [](const Engine& engine, const char* in, const char* account) {
    Pod pod = pod_in(in);
    pod.spec.service_account_name = account;
    return engine.effective_policy(pod).policies();
  };
  const Engine before = engine_of(configuration);
  CHECK(policies(before, "n", "builder") == Names{"one", "two"});

  engine::Objects of_n;
  of_n.rbac.role_bindings = {rbac.role_bindings[0]};
  const Engine without = before.without(of_n);
  CHECK(policies(without, "n", "builder") == Names{"two"});
  CHECK(policies(without, "n", "other") == Names{});
  CHECK(policies(without, "m", "a-7") == Names{"three"});
  const Engine again = without.with(of_n);
  CHECK(policies(again, "n", "builder") == Names{"one", "two"});
  CHECK(policies(again, "n", "other") == Names{"one"});

  engine::Objects of_two;
  of_two.rbac.role_bindings = {rbac.role_bindings[4], rbac.role_bindings[9]};
  const Engine fewer = before.without(of_two);
  for (const char* account : {"a-2", "a-7"}) CHECK(policies(fewer, "m", account) == Names{});
  CHECK(policies(fewer, "m", "a-8") == Names{"three"});

  engine::Objects changed;
  for (const int i : {1, 2}) {
    changed.scheduling_policies.push_back(configuration.objects.scheduling_policies[i]);
    changed.scheduling_policies.back().spec.allowed.scheduler_names = {"new"};
  }
  bind("late", "m", "two", {.kind = "ServiceAccount", .name = "late"});
  engine::Objects late;
  late.rbac.role_bindings = {rbac.role_bindings.back()};
  const Engine other = before.with(late).with(changed);
  for (const auto& [in, account] :
       {std::pair{"n", "builder"}, std::pair{"m", "a-7"}, std::pair{"m", "late"}}) {
    Pod pod = pod_in(in);
    pod.spec.service_account_name = account;
    pod.spec.scheduler_name = "new";
    CHECK(!created(before, pod).allowed);
    CHECK(created(other, pod).allowed);
  }
}

TEST_CASE("of those who may use a million policies together nobody is taken for another") {
  constexpr int accounts = 102;
  constexpr int names = 100;
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  rbac::Rbac& rbac = configuration.objects.rbac;
  for (int i = 0; i < accounts; ++i) {
    const std::string number = std::to_string(i);
    configuration.objects.scheduling_policies.push_back(
        {.metadata = {.name = number + "-0"}, .spec = {.allowed = {.scheduler_names = {number}}}});
    std::vector<std::string> of_role;
    for (int j = 0; j < names; ++j) of_role.push_back(number + "-" + std::to_string(j));
    const rbac::PolicyRule use{.verbs = {"use"},
                               .api_groups = {"schedpol.io"},
                               .resources = {"schedulingpolicies"},
                               .resource_names = Texts(std::move(of_role))};
    rbac.cluster_roles.push_back({.metadata = {.name = number}, .rules = {use}});
    // Everybody but one, who is another for each role.
    rbac::ClusterRoleBinding all{.metadata = {.name = number},
                                 .role_ref = {.kind = "ClusterRole", .name = number}};
    for (int j = 0; j < accounts; ++j)
      if (j != i)
        all.subjects.push_back(
            {.kind = "ServiceAccount", .name = std::to_string(j), .namespace_ = "n"});
    rbac.cluster_role_bindings.push_back(std::move(all));
  }
  const Engine engine = engine_of(configuration);
  for (int i = 0; i < accounts; ++i) {
    CAPTURE(i);
    Pod pod = pod_in("n");
    pod.spec.service_account_name = std::to_string(i);
    pod.spec.scheduler_name = std::to_string(i);
    CHECK_FALSE(created(engine, pod).allowed);
    pod.spec.scheduler_name = std::to_string((i + 1) % accounts);
    CHECK(created(engine, pod).allowed);
  }
}

}  // namespace service_accounts_test
