// SPDX-License-Identifier: Apache-2.0
// What a denial says was not known, for who watches a cluster and asks again.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace unknown_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Mode;
using engine::Objects;
using engine::PolicyUse;
using engine::System;
using engine::UnknownObject;

// In the order of the objects that are looked for, separated by commas.
std::string unknown(const Decision& decision) {
  std::string text;
  for (const UnknownObject& object : decision.unknown) {
    text += (text.empty() ? "" : ", ") + object.kind;
    if (!object.namespace_.empty()) text += " " + object.namespace_;
    if (!object.name.empty()) text += " " + object.name;
    if (!object.user.empty()) text += " for " + object.user;
  }
  return text;
}

std::string created(const Configuration& configuration, const Pod& pod,
                    engine::Phase phase = engine::Phase::mutating) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const Decision decision = engine->decide({.object = pod, .phase = phase});
  if (decision.allowed) CHECK(decision.unknown.empty());
  return decision.allowed ? "allowed" : unknown(decision);
}

Pod pod_with(PodSpec spec) {
  return {.metadata = {.name = "p", .namespace_ = "shop", .labels = {{"app", "web"}}},
          .spec = std::move(spec)};
}

scheduling_policy::SchedulingPolicy policy_named(const char* name) {
  scheduling_policy::SchedulingPolicy policy{.metadata = {.name = name}};
  policy.spec.allowed.scheduler_names = {"default-scheduler"};
  return policy;
}

rbac::ClusterRole role_for(const char* name, Texts policies) {
  return {.metadata = {.name = name},
          .rules = {{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, std::move(policies)}}};
}
rbac::ClusterRoleBinding binding_to(const char* role) {
  return {.metadata = {.name = role},
          .role_ref = {.kind = "ClusterRole", .name = role},
          .subjects = {{.kind = "Group", .name = "system:authenticated"}}};
}

pod_scheduling_policy::PodSchedulingPolicy cluster_policy() {
  pod_scheduling_policy::PodSchedulingPolicy policy{
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "pool"}};
  policy.spec.pod_selector = LabelSelector{};
  policy.spec.namespace_selector = LabelSelector{.match_labels = {{"team", "shop"}}};
  policy.spec.tolerations = {{.key = "pool", .operator_ = TolerationOperator::exists}};
  return policy;
}

TEST_CASE("a denial names the RuntimeClass that the pod names and nobody knows") {
  Configuration configuration{.systems = {{System::runtime_class}}};
  const Pod pod = pod_with({.runtime_class_name = "kata"});
  CHECK(created(configuration, pod) == "RuntimeClass kata");
  CHECK(created(configuration, pod, engine::Phase::validating) == "RuntimeClass kata");
  configuration.objects.runtime_classes = {{.metadata = {.name = "kata"}, .handler = "kata"}};
  CHECK(created(configuration, pod) == "allowed");
  SUBCASE("one that is known and cannot be used is not unknown") {
    configuration.objects.runtime_classes[0].handler = "";
    CHECK(created(configuration, pod).empty());
  }
}

TEST_CASE("a denial names the namespace whose labels a policy asks for") {
  Configuration configuration{.systems = {{System::pod_scheduling_policy}}};
  configuration.objects.pod_scheduling_policies = {cluster_policy()};
  CHECK(created(configuration, pod_with({})) == "Namespace shop");
  SUBCASE("not once it is known") {
    configuration.objects.namespaces = {{{.name = "shop"}}};
    CHECK(created(configuration, pod_with({})) == "allowed");
  }
  SUBCASE("not where it is known that it cannot be used") {
    configuration.objects.namespaces = {{{.name = "shop"}}, {{.name = "shop"}}};
    CHECK(created(configuration, pod_with({})).empty());
  }
}

TEST_CASE("a denial names the policies and roles that the user is granted and nobody knows") {
  Configuration configuration{.systems = {{System::scheduling_policy}}};
  Objects& objects = configuration.objects;
  const Pod pod = pod_with({.scheduler_name = "mine", .service_account_name = "builder"});
  const std::string any = "SchedulingPolicy for system:serviceaccount:shop:builder";
  CHECK(created(configuration, pod) == any);
  SUBCASE("of every policy there is no user") {
    configuration.settings.policy_use = PolicyUse::every;
    CHECK(created(configuration, pod) == "SchedulingPolicy");
    objects.scheduling_policies = {policy_named("a")};
    CHECK(created(configuration, pod).empty());
  }
  SUBCASE("a policy that nobody may use is none for the user") {
    objects.scheduling_policies = {policy_named("a")};
    CHECK(created(configuration, pod) == any);
  }
  SUBCASE("the binding came first") {
    objects.rbac.cluster_role_bindings = {binding_to("all")};
    CHECK(created(configuration, pod) == any + ", ClusterRole all");
    objects.rbac.role_bindings = {{.metadata = {.name = "here", .namespace_ = "shop"},
                                   .role_ref = {.kind = "Role", .name = "here"},
                                   .subjects = {{.kind = "ServiceAccount", .name = "builder"}}}};
    CHECK(created(configuration, pod) == any + ", ClusterRole all, Role shop here");
  }
  SUBCASE("the role came first") {
    objects.rbac.cluster_role_bindings = {binding_to("all")};
    objects.rbac.cluster_roles = {role_for("all", {"a", "b"})};
    CHECK(created(configuration, pod) == any + ", SchedulingPolicy a, SchedulingPolicy b");
    objects.scheduling_policies = {policy_named("a")};
    CHECK(created(configuration, pod) == "SchedulingPolicy b");
    objects.scheduling_policies.push_back(policy_named("b"));
    CHECK(created(configuration, pod).empty());
    objects.scheduling_policies[1].spec.allowed.scheduler_names = {"mine"};
    CHECK(created(configuration, pod) == "allowed");
    objects.scheduling_policies[1].spec.required.scheduler_names = Texts{};
    CHECK(created(configuration, pod).empty());
  }
  SUBCASE("a grant of all policies leaves none out") {
    objects.rbac.cluster_role_bindings = {binding_to("all")};
    objects.rbac.cluster_roles = {role_for("all", {})};
    CHECK(created(configuration, pod) == any);
    objects.scheduling_policies = {policy_named("a")};
    CHECK(created(configuration, pod).empty());
  }
}

TEST_CASE("what would need no permission of a SchedulingPolicy may be unknown, too") {
  Configuration configuration{
      .systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}}};
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.scheduling_policies = {policy_named("a")};
  configuration.objects.pod_scheduling_policies = {cluster_policy()};
  const Pod pod =
      pod_with({.tolerations = {{.key = "pool", .operator_ = TolerationOperator::exists}}});
  const auto validated = [&] { return created(configuration, pod, engine::Phase::validating); };
  CHECK(validated() == "Namespace shop");
  SUBCASE("not of a system that only warns") {
    configuration.systems[1].mode = Mode::warn;
    CHECK(validated().empty());
  }
  SUBCASE("it is permitted once that is known") {
    configuration.objects.namespaces = {{{.name = "shop", .labels = {{"team", "shop"}}}}};
    CHECK(validated() == "allowed");
  }
}

TEST_CASE("a system that denies for other reasons misses nothing of the others") {
  Configuration configuration{.systems = {{System::runtime_class}, {System::scheduling_policy}}};
  configuration.objects.runtime_classes = {{.metadata = {.name = "kata"}, .handler = "kata"}};
  Pod pod = pod_with({.runtime_class_name = "kata"});
  pod.spec.overhead = {{"cpu", *Quantity::parse("1")}};
  CHECK(created(configuration, pod).empty());
}

}  // namespace unknown_test
