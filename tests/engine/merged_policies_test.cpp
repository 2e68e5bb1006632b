// SPDX-License-Identifier: Apache-2.0
// What is merged beforehand for the users of SchedulingPolicies is bounded, and the decision is the
// same where it is merged for each pod.
#include <schedpol/engine/engine.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/count_allocations.hpp"
#include "../support/print.hpp"

#include "clusters.hpp"

#include <cstddef>
#include <string>

namespace merged_policies_test {

using namespace schedpol;
using engine::Configuration;
using engine::Engine;
using engine::System;
using testing::numbered;

constexpr std::size_t keys_of_large_policy = 4'000;

scheduling_policy::SchedulingPolicy large_policy() {
  scheduling_policy::SchedulingPolicy policy{.metadata = {.name = "large"}};
  scheduling_policy::NodeSelectors& keys = policy.spec.allowed.node_selectors.list();
  for (std::size_t i = 0; i < keys_of_large_policy; ++i) keys[numbered("", i)] = {"v"};
  return policy;
}

/// Each user may use the large policy and one of its own, which gives its pods a priority class.
Configuration cluster_of_users(std::size_t users) {
  Configuration made{.systems = {{System::scheduling_policy}}};
  made.objects.scheduling_policies.push_back(large_policy());
  for (std::size_t i = 0; i < users; ++i) {
    const std::string name = numbered("user-", i);
    scheduling_policy::SchedulingPolicy policy{.metadata = {.name = name}};
    policy.spec.allowed.scheduler_names = {"default-scheduler"};
    policy.spec.defaults.priority_class_name = name;
    made.objects.scheduling_policies.push_back(policy);
    made.objects.rbac.cluster_roles.push_back({.metadata = {.name = name},
                                               .rules = {{.verbs = {"use"},
                                                          .api_groups = {"schedpol.io"},
                                                          .resources = {"schedulingpolicies"},
                                                          .resource_names = {"large", name}}}});
    made.objects.rbac.role_bindings.push_back(
        {.metadata = {.name = name, .namespace_ = "n"},
         .role_ref = {.kind = "ClusterRole", .name = name},
         .subjects = {{.kind = "ServiceAccount", .name = name}}});
  }
  return made;
}

engine::Request pod_of_user(std::size_t user, const Labels& node_selector = {}) {
  engine::Request request{.object = {.metadata = {.name = "p", .namespace_ = "n"}}};
  request.object.spec.service_account_name = numbered("user-", user);
  request.object.spec.node_selector = node_selector;
  return request;
}

TEST_CASE("policies are merged beforehand up to a limit, and beyond it decide alike") {
  const std::size_t most =
      max_merged_policy_bytes / scheduling_policy::policy_bytes(large_policy().spec);
  const std::size_t users = 3 * most;
  const Configuration configuration = cluster_of_users(users);
  const testing::CountAllocations allocations;
  Engine engine = *compile(configuration);
  CHECK(allocations.peak_bytes() < 20 * max_merged_policy_bytes);

  const auto check_users = [&](const std::string& key) {
    for (const std::size_t user : {std::size_t{0}, most / 2, 2 * most, users - 1}) {
      CAPTURE(user);
      const engine::Decision allowed = engine.decide(pod_of_user(user, {{key, "v"}}));
      CHECK(allowed.allowed);
      CHECK(allowed.pod.spec.priority_class_name == numbered("user-", user));
      CHECK(!engine.decide(pod_of_user(user, {{key, "w"}})).allowed);
      CHECK(!engine.decide(pod_of_user(user, {{"other", "v"}})).allowed);
    }
  };
  check_users(numbered("", keys_of_large_policy - 1));

  scheduling_policy::SchedulingPolicy small{.metadata = {.name = "large"}};
  small.spec.allowed.node_selectors.list()["new"] = {"v"};
  engine = engine.with({.scheduling_policies = {small}});
  check_users("new");
  engine = engine.with({.scheduling_policies = {large_policy()}});
  check_users(numbered("", 0));
  engine =
      engine.without({.rbac = {.cluster_roles = {configuration.objects.rbac.cluster_roles[0]}}});
  CHECK(!engine.decide(pod_of_user(0)).allowed);
  CHECK(engine.decide(pod_of_user(users - 1)).allowed);
}

}  // namespace merged_policies_test
