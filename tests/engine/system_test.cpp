// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/system.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace system_test {

using namespace schedpol;
using engine::Mode;
using engine::ObjectKind;
using engine::ObjectKinds;
using engine::Objects;
using engine::PolicyUse;
using engine::Scope;
using engine::Settings;
using engine::Step;
using engine::System;

static_assert(std::is_aggregate_v<Step> && std::is_enum_v<System> && std::is_enum_v<Mode>);
static_assert(std::is_aggregate_v<Objects> && std::is_aggregate_v<Settings>);
static_assert(Step{}.mode == Mode::enforce);
static_assert(to_string(PolicyUse::rbac) == "Rbac" && to_string(PolicyUse::every) == "Every");

TEST_CASE("a mode is spelled as in a configuration") {
  CHECK(to_string(Mode::enforce) == "Enforce");
  CHECK(to_string(Mode::warn) == "Warn");
  CHECK(to_string(Mode::audit) == "Audit");
}

TEST_CASE("every system has the name of its objects, and a key of its own in audit annotations") {
  struct Case {
    System system;
    std::string_view name;
    std::string_view key;
  };
  constexpr Case cases[] = {
      {System::runtime_class, "RuntimeClass", "runtime-class"},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy"},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy"},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy"},
      {System::resource_policy, "ResourcePolicy", "resource-policy"},
  };
  CHECK(std::size(cases) == std::size(engine::all_systems));
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    CAPTURE(cases[i].name);
    CHECK(engine::all_systems[i] == cases[i].system);
    CHECK(to_string(cases[i].system) == cases[i].name);
    CHECK(audit_key(cases[i].system) == cases[i].key);
  }
}

TEST_CASE("every list of objects is gone through once, with the kinds that stand in it") {
  Objects objects;
  std::vector<std::string> namespaced;
  std::vector<std::string> of_the_cluster;
  std::size_t lists = 0;
  for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
    ++lists;
    list.emplace_back();
    for (const ObjectKind& kind : kinds)
      (kind.scope == Scope::cluster ? of_the_cluster : namespaced).emplace_back(kind.name);
  });
  CHECK(lists == 9);
  CHECK(namespaced == std::vector<std::string>{"MetadataPolicy", "PodSchedulingPolicy",
                                               "ResourcePolicy", "Role", "RoleBinding"});
  CHECK(of_the_cluster == std::vector<std::string>{"RuntimeClass", "ClusterPodSchedulingPolicy",
                                                   "SchedulingPolicy", "ClusterRole",
                                                   "ClusterRoleBinding"});
  CHECK(objects == Objects{.runtime_classes = {{}},
                           .metadata_policies = {{}},
                           .pod_scheduling_policies = {{}},
                           .scheduling_policies = {{}},
                           .resource_policies = {{}},
                           .rbac = {.roles = {{}},
                                    .cluster_roles = {{}},
                                    .role_bindings = {{}},
                                    .cluster_role_bindings = {{}}}});
}

TEST_CASE("a kind of a policy is one in its own group alone") {
  struct Case {
    std::string_view api_group;
    std::string_view kind;
    bool is_policy;
  };
  const Case cases[] = {
      {"schedpol.io", "SchedulingPolicy", true},
      {"extensions", "SchedulingPolicy", true},
      {"example.com", "SchedulingPolicy", true},
      {"extensions", "MetadataPolicy", true},
      {"example.com", "MetadataPolicy", true},
      {"", "MetadataPolicy", false},
      {"node.k8s.io", "MetadataPolicy", false},
      {"kupid.gardener.cloud", "PodSchedulingPolicy", true},
      {"kupid.gardener.cloud", "ClusterPodSchedulingPolicy", true},
      {"example.com", "PodSchedulingPolicy", false},
      {"scheduling.sigs.x-k8s.io", "ResourcePolicy", true},
      {"scheduling.alibabacloud.com", "ResourcePolicy", false},
      {"extensions", "ResourcePolicy", false},
      {"node.k8s.io", "RuntimeClass", false},
      {"rbac.authorization.k8s.io", "Role", false},
      {"", "Role", false},
      {"", "", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.api_group);
    CAPTURE(c.kind);
    CHECK(engine::is_policy(c.api_group, c.kind) == c.is_policy);
  }
}

TEST_CASE(
    "pods are judged by RBAC, with the API server's own additions exempt, unless it is said") {
  const Settings settings;
  CHECK(settings.policy_use == PolicyUse::rbac);
  CHECK(to_string(PolicyUse::rbac) == "Rbac");
  CHECK(to_string(PolicyUse::every) == "Every");
  CHECK(settings.options.default_scheduler == DefaultScheduler::unspecified);
  CHECK(settings.options.exempt.tolerations == scheduling_policy::default_toleration_seconds());
}

TEST_CASE("what the API server adds is exempt besides what else is") {
  scheduling_policy::Options own;
  own.node_name = scheduling_policy::NodeNameCheck::ignore;
  own.exempt.tolerations = {{.key = "mine"}};
  const scheduling_policy::Options options = engine::admission_options(own);
  CHECK(options.node_name == scheduling_policy::NodeNameCheck::ignore);
  CHECK(options.default_scheduler == DefaultScheduler::unspecified);
  REQUIRE(options.exempt.tolerations.size() == 3);
  CHECK(options.exempt.tolerations[0].key == "mine");
  CHECK(options.exempt.tolerations[1].key == "node.kubernetes.io/not-ready");
}

}  // namespace system_test
