// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/suggest.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace suggest_fragility_test {

// That it is exact for every inventory is a law, in suggest_laws_test.cpp.

using namespace schedpol;
using engine::Configuration;
using engine::Fragility;
using engine::RunningObject;
using engine::SuggestedSubject;
using engine::SuggestOptions;
using engine::System;
using scheduling_policy::MergeStrategy;
using scheduling_policy::SchedulingPolicy;

using Operator = TolerationOperator;
using Effect = TaintEffect;

/// An object of an owner of its own.
RunningObject object(std::string account, std::string owner, PodSpec spec, Labels labels = {}) {
  Pod pod{.metadata = {.name = owner, .namespace_ = "shop", .labels = std::move(labels)},
          .spec = std::move(spec)};
  pod.spec.service_account_name = std::move(account);
  return {.request = {.object = pod}, .owner = {"Deployment", "shop", std::move(owner)}, .pods = 1};
}
PodSpec tolerating(std::vector<Toleration> tolerations) {
  return {.tolerations = std::move(tolerations)};
}
Toleration exists(std::string key, OpenEnum<Effect> effect = {}) {
  return {std::move(key), Operator::exists, "", effect, {}};
}
PodSpec with_terms(std::vector<NodeSelectorTerm> terms) {
  NodeAffinity affinity;
  affinity.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  return {.affinity = Affinity{.node_affinity = std::move(affinity)}};
}
NodeSelectorTerm in(std::string key, std::string value) {
  return {{{std::move(key), NodeSelectorOperator::in, {std::move(value)}}}, {}};
}

Fragility fragility_of(const std::vector<RunningObject>& objects,
                       const SuggestOptions& options = {},
                       const Configuration& configuration = {}) {
  const auto suggestion = suggest(configuration, objects, options);
  REQUIRE(suggestion);
  return suggestion->fragile;
}

/// May be used by an account.
void grant(Configuration& configuration, const std::string& policy, const std::string& account) {
  rbac::Rbac& rbac = configuration.objects.rbac;
  rbac.cluster_roles.push_back({{.name = policy},
                                {{.verbs = {"use"},
                                  .api_groups = {"schedpol.io"},
                                  .resources = {"schedulingpolicies"},
                                  .resource_names = {policy}}}});
  rbac.role_bindings.push_back({{.name = policy, .namespace_ = "shop"},
                                {"rbac.authorization.k8s.io", "ClusterRole", policy},
                                {{"ServiceAccount", "", account, "shop"}}});
}

TEST_CASE(
    "whoever may use every policy may use what others need, and is not counted as one of many") {
  Configuration configuration;
  grant(configuration, "all", "root");
  configuration.objects.rbac.cluster_roles[0].rules[0].resource_names = {};
  const PodSpec gpu = tolerating({exists("gpu", Effect::no_schedule)});
  // Only a term of anything permits it, for which no part of it speaks.
  for (const PodSpec& spec : {gpu, with_terms({{}})})
    CHECK(fragility_of({object("root", "a", spec), object("web", "b", spec)}, {}, configuration) ==
          Fragility{2, 1});
  // Two of three others are enough of them, three of four with the one that is left out.
  CHECK(fragility_of({object("root", "a", {}), object("web", "b", gpu), object("api", "c", gpu),
                      object("job", "d", gpu), object("cron", "e", {})},
                     {.common_percent = 60}, configuration) == Fragility{5, 0});
}

TEST_CASE("an owner is fragile whose objects need what no other of the subject does") {
  const PodSpec gpu = tolerating({exists("gpu", Effect::no_schedule)});
  const PodSpec gpu_of_any_effect = tolerating({exists("gpu")});
  CHECK(fragility_of({object("web", "a", gpu)}) == Fragility{1, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", gpu)}) == Fragility{2, 0});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu)}) == Fragility{2, 2});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", {})}) == Fragility{2, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", gpu_of_any_effect)}) ==
        Fragility{2, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu)},
                     {.subject = SuggestedSubject::namespace_}) == Fragility{2, 0});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu), object("cron", "c", gpu)},
                     {.common_percent = 60}) == Fragility{3, 0});
}

TEST_CASE("an object needs by itself what another system adds to it once it is permitted") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "fast", .namespace_ = "shop"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"app", "fast"}}},
                .node_selector = {{"disk", "ssd"}}}}};
  CHECK(fragility_of({object("web", "a", {}, {{"app", "fast"}}),
                      object("web", "b", {.node_selector = {{"disk", "ssd"}}})},
                     {}, configuration) == Fragility{2, 0});
}

TEST_CASE("what is granted to everybody is not, where those who need it have more of their own") {
  const Toleration gpu = exists("gpu", Effect::no_schedule);
  const std::vector<RunningObject> objects = {object("web", "a", tolerating({gpu, exists("gpu")})),
                                              object("api", "b", tolerating({gpu, exists("")})),
                                              object("cron", "c", tolerating({gpu}))};
  CHECK(fragility_of(objects, {.common_percent = 60}) == Fragility{3, 3});
}

TEST_CASE("terms without an expression are permitted by any other entry of their mode") {
  // Nobody needs the mode of anything then, which would permit what is left out.
  CHECK(fragility_of({object("web", "a", with_terms({in("zone", "a")})),
                      object("web", "b", with_terms({{}})),
                      object("web", "c", with_terms({in("disk", "ssd")}))}) == Fragility{3, 2});
}

TEST_CASE("a toleration may be permitted in part by a default, which another one does not equal") {
  const auto for_seconds = [](OpenEnum<Effect> effect, std::int64_t seconds) {
    return Toleration{"gpu", Operator::exists, "", effect, seconds};
  };
  SchedulingPolicy policy{.metadata = {.name = "there"}};
  policy.spec.allowed.scheduler_names = {"default-scheduler"};
  policy.spec.defaults.tolerations = {{for_seconds(Effect::no_execute, 60), {}}};
  Configuration configuration;
  configuration.objects.scheduling_policies = {policy};
  grant(configuration, "there", "web");
  const std::vector<RunningObject> objects = {
      object("web", "a", tolerating({for_seconds({}, 60)})),
      object("web", "b", tolerating({exists("", Effect::no_schedule)})),
      object("web", "c", tolerating({exists("", Effect::no_schedule)})),
      object("web", "d", tolerating({exists("", Effect::prefer_no_schedule)})),
      object("web", "e", tolerating({exists("", Effect::prefer_no_schedule)})),
      object("web", "f", tolerating({for_seconds(Effect::no_execute, 30)}))};
  CHECK(fragility_of(objects, {}, configuration) == Fragility{6, 1});
}

TEST_CASE("an entry whose values became any may be needless for values that others permit") {
  const auto equal = [](std::string key, std::string value, OpenEnum<Effect> effect) {
    return tolerating({{std::move(key), Operator::equal, std::move(value), effect, {}}});
  };
  // Who tolerates `a` of every key permits it of this one.
  CHECK(fragility_of({object("web", "a", equal("", "a", Effect::no_schedule)),
                      object("web", "b", equal("team", "a", Effect::no_schedule)),
                      object("web", "c", equal("team", "b", Effect::no_schedule))},
                     {.generalise = {"team"}}) == Fragility{3, 2});
  // One effect is permitted by what is there, and two by what everybody is granted.
  SchedulingPolicy policy{.metadata = {.name = "there"}};
  policy.spec.allowed.tolerations = {std::vector<scheduling_policy::TolerationPattern>{
      {{"team"}, {Operator::equal}, {"a"}, {Effect::no_execute}}}};
  Configuration configuration;
  configuration.objects.scheduling_policies = {policy};
  grant(configuration, "there", "web");
  std::vector<RunningObject> objects = {object("web", "a", equal("team", "a", {})),
                                        object("web", "b", equal("team", "b", Effect::no_execute))};
  for (const char* account : {"api", "cron", "db", "dns"})
    for (const Effect effect : {Effect::no_schedule, Effect::prefer_no_schedule})
      objects.push_back(object(account, account, equal("team", "c", effect)));
  CHECK(fragility_of(objects, {.common_percent = 70, .generalise = {"team"}}, configuration) ==
        Fragility{6, 1});
}

TEST_CASE("what is suggested for the others may be called so that it hides what is there") {
  // Of two policies the one whose name comes first counts. With and without its first owner the
  // namespace needs other entries, so that the policy has another name.
  const auto name_for = [](const std::vector<RunningObject>& objects) {
    const auto suggestion = suggest({}, objects, {.subject = SuggestedSubject::namespace_});
    REQUIRE(suggestion);
    REQUIRE(suggestion->objects.scheduling_policies.size() == 1);
    return suggestion->objects.scheduling_policies[0].metadata.name;
  };
  bool is_tried = false;
  for (const char* key : {"a", "b", "c", "d", "e", "f", "g"}) {
    std::vector<RunningObject> objects = {
        object("api", "b", tolerating({exists(key, Effect::no_schedule)})),
        object("api", "c", tolerating({exists(key, Effect::prefer_no_schedule)})),
        object("api", "d", tolerating({exists(key, Effect::no_execute)}))};
    const std::string without = name_for(objects);
    objects.push_back(object("api", "a", tolerating({exists(key)})));
    if (name_for(objects) < without) continue;
    is_tried = true;
    Configuration configuration;
    configuration.settings.strategy = MergeStrategy::first_seen_wins;
    SchedulingPolicy policy{.metadata = {.name = without + "-and-later"}};
    policy.spec.allowed.scheduler_names = {"default-scheduler"};
    policy.spec.allowed.node_selectors = {{"disk", {"ssd"}}};
    configuration.objects.scheduling_policies = {policy};
    grant(configuration, policy.metadata.name, "web");
    objects.push_back(object("web", "a", {.node_selector = {{"disk", "ssd"}}}));
    CHECK(fragility_of(objects, {.subject = SuggestedSubject::namespace_}, configuration) ==
          Fragility{4, 1});
  }
  CHECK(is_tried);
}

}  // namespace suggest_fragility_test
