// SPDX-License-Identifier: Apache-2.0
// Objects that cannot be used: whom they deny, and whom they do not stop.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <string>
#include <vector>

namespace problems_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::System;
using pod_scheduling_policy::PolicyKind;
using Code = ViolationCode;

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

Configuration running(System system) {
  Configuration configuration;
  configuration.systems = {{system}};
  configuration.settings.policy_use = PolicyUse::every;
  return configuration;
}

Pod pod_in(const char* namespace_, Labels labels = {}) {
  return {.metadata = {.name = "p", .namespace_ = namespace_, .labels = std::move(labels)}};
}

LabelSelector labelled(const char* key, const char* value) {
  return {.match_labels = {{key, value}}};
}
LabelSelector unreadable() {
  return {.match_expressions = {{.key = "a"}}};
}

// The names of the policies for which alone a pod is denied, separated by spaces.
std::string denied_by(const Decision& decision) {
  std::string names;
  for (const auto& said : decision.steps) {
    for (const Violation& violation : said.violations) {
      if (violation.code != Code::invalid_policy) return message(violation);
      names += (names.empty() ? "" : " ") + violation.policies[0];
    }
  }
  CHECK(decision.allowed == names.empty());
  return names;
}

std::string created(const Configuration& configuration, const Pod& pod) {
  const Decision decision = engine_of(configuration).decide({.object = pod});
  if (!decision.allowed) CHECK(decision.pod == pod);
  return denied_by(decision);
}

std::vector<std::string> problems(const Engine& engine) {
  std::vector<std::string> texts;
  for (const FieldError& error : engine.problems()) texts.push_back(to_string(error.field));
  return texts;
}

TEST_CASE("an engine says what is wrong with its objects, and runs without them") {
  Configuration configuration = running(System::scheduling_policy);
  configuration.settings.policy_use = PolicyUse::rbac;
  auto& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata"}}};
  objects.scheduling_policies = {
      {.metadata = {.name = "a"}, .spec = {.required = {.scheduler_names = any}}},
      {.metadata = {.name = "b"}}};
  objects.resource_policies = {{.metadata = {.name = "r"}}};
  objects.rbac.roles = {{.metadata = {.name = "role"}}};
  objects.namespaces = {{{.name = "n"}}, {{.name = "n"}}};
  CHECK(problems(engine_of(configuration)) ==
        std::vector<std::string>{"Namespace[n].metadata.name",
                                 "ResourcePolicy[/r].metadata.namespace",
                                 "Role[/role].metadata.namespace", "RuntimeClass[kata].handler",
                                 "SchedulingPolicy[a].spec.required.schedulerNames"});
  CHECK(Engine().problems().empty());
  configuration.systems.clear();
  const auto engine = compile(configuration);
  REQUIRE(!engine);
  CHECK(engine.errors().size() == 1);
}

TEST_CASE("an object of the cluster that names a namespace cannot be used") {
  using pod_scheduling_policy::PolicyKind;
  Configuration configuration = running(System::runtime_class);
  configuration.systems.push_back({System::pod_scheduling_policy, Mode::enforce});
  auto& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata", .namespace_ = "n"}, .handler = "kata"}};
  objects.scheduling_policies = {{.metadata = {.name = "restricted", .namespace_ = "n"}}};
  objects.pod_scheduling_policies = {{.kind = PolicyKind::cluster_pod_scheduling_policy,
                                      .metadata = {.name = "etcd", .namespace_ = "n"},
                                      .spec = {.namespace_selector = LabelSelector(),
                                               .pod_selector = labelled("app", "etcd"),
                                               .node_selector = {{"pool", "etcd"}}}}};
  objects.namespaces = {{{.name = "m"}}};
  CHECK(problems(engine_of(configuration)) ==
        std::vector<std::string>{"ClusterPodSchedulingPolicy[etcd].metadata.namespace",
                                 "RuntimeClass[kata].metadata.namespace",
                                 "SchedulingPolicy[restricted].metadata.namespace"});
  CHECK(created(configuration, pod_in("m", {{"app", "etcd"}})) == "etcd");
  Pod of_class = pod_in("m");
  of_class.spec.runtime_class_name = "kata";
  CHECK(created(configuration, of_class) == "kata");
  CHECK(created(configuration, pod_in("m")).empty());
}

TEST_CASE("a SchedulingPolicy that cannot be used denies those whose user may use it") {
  Configuration configuration = running(System::scheduling_policy);
  auto& objects = configuration.objects;
  objects.scheduling_policies = {
      {.metadata = {.name = "bad"}, .spec = {.required = {.scheduler_names = any}}},
      {.metadata = {.name = "good"}, .spec = {.allowed = {.scheduler_names = any}}},
      {.metadata = {.name = "twice"}},
      {.metadata = {.name = "twice"}, .spec = {.allowed = {.scheduler_names = any}}}};
  CHECK(created(configuration, pod_in("n")) == "bad twice");
  configuration.settings.policy_use = PolicyUse::rbac;
  const auto may_use = [&](const char* namespace_, const char* policy) {
    objects.rbac.roles.push_back({.metadata = {.name = policy, .namespace_ = namespace_},
                                  .rules = {{.verbs = {"use"},
                                             .api_groups = {"schedpol.io"},
                                             .resources = {"schedulingpolicies"},
                                             .resource_names = {policy}}}});
    objects.rbac.role_bindings.push_back(
        {.metadata = {.name = policy, .namespace_ = namespace_},
         .role_ref = {.kind = "Role", .name = policy},
         .subjects = {{.kind = "Group", .name = "system:serviceaccounts"}}});
  };
  may_use("n", "bad");
  may_use("n", "good");
  may_use("m", "good");
  CHECK(created(configuration, pod_in("n")) == "bad");
  CHECK(created(configuration, pod_in("m")) == "");
  const Engine engine = engine_of(configuration);
  CHECK(denied_by(engine.decide({.object = pod_in("n"), .phase = Phase::validating})) == "bad");
  CHECK(engine.effective_policy(pod_in("n")).policies().empty());
  // What an update asks for nobody can judge; what it does not is no matter.
  const auto updated = [&](PodKind kind, void (*change)(Pod&)) {
    Pod old = pod_in("n");
    old.kind = kind;
    Pod pod = old;
    change(pod);
    return denied_by(
        engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)}));
  };
  CHECK(updated(PodKind::pod, [](Pod& pod) { pod.metadata.labels["a"] = "b"; }) == "");
  CHECK(updated(PodKind::pod, [](Pod& pod) { pod.spec.tolerations = {{.key = "a"}}; }) == "bad");
  CHECK(updated(PodKind::deployment, [](Pod&) {}) == "");
  CHECK(updated(PodKind::deployment, [](Pod& pod) { pod.metadata.labels["a"] = "b"; }) == "bad");
}

TEST_CASE("several SchedulingPolicies that cannot be used are told in the order of their names") {
  Configuration configuration = running(System::scheduling_policy);
  for (const char* name : {"z", "a", "m", "k"})
    configuration.objects.scheduling_policies.push_back(
        {.metadata = {.name = name}, .spec = {.required = {.scheduler_names = any}}});
  CHECK(created(configuration, pod_in("n")) == "a k m z");
}

TEST_CASE("a RuntimeClass that cannot be used denies those that name it") {
  Configuration configuration = running(System::runtime_class);
  configuration.objects.runtime_classes = {{.metadata = {.name = "bad"}},
                                           {.metadata = {.name = "good"}, .handler = "h"},
                                           {.handler = "h"}};
  CHECK(created(configuration, pod_in("n")) == "");
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "good";
  CHECK(created(configuration, pod) == "");
  pod.spec.runtime_class_name = "bad";
  CHECK(created(configuration, pod) == "bad");
  CHECK(denied_by(engine_of(configuration).decide({.object = pod, .phase = Phase::validating})) ==
        "bad");
  // What was so before stays so.
  Pod updated = pod;
  updated.metadata.labels = {{"a", "b"}};
  CHECK(denied_by(
            engine_of(configuration)
                .decide({.operation = Operation::update, .object = updated, .old = Old(pod)})) ==
        "");
}

TEST_CASE("a PodSchedulingPolicy that cannot be used denies those that its selectors select") {
  Configuration configuration = running(System::pod_scheduling_policy);
  configuration.objects.namespaces = {{{.name = "n", .labels = {{"team", "a"}}}},
                                      {{.name = "m", .labels = {{"team", "b"}}}}};
  auto& policies = configuration.objects.pod_scheduling_policies;
  const std::vector<Toleration> bad = {{.key = "a b"}};
  struct Case {
    const char* what;
    pod_scheduling_policy::PodSchedulingPolicy policy;
    std::string denies;  ///< the pods, as `namespace/app`
  };
  const PolicyKind cluster = PolicyKind::cluster_pod_scheduling_policy;
  const Case cases[] = {
      {"those with a label, in its namespace",
       {.metadata = {.namespace_ = "n"},
        .spec = {.pod_selector = labelled("app", "x"), .tolerations = bad}},
       "n/x"},
      {"all of its namespace, for it cannot be read",
       {.metadata = {.namespace_ = "n"}, .spec = {.pod_selector = unreadable()}},
       "n/x n/y"},
      {"nobody", {.metadata = {.namespace_ = "n"}, .spec = {.tolerations = bad}}, ""},
      {"without a namespace it might be meant for any",
       {.spec = {.pod_selector = labelled("app", "x")}},
       "n/x m/x unknown/x"},
      {"those of namespaces with a label, and of those that are not known",
       {.kind = cluster,
        .spec = {.namespace_selector = labelled("team", "a"),
                 .pod_selector = labelled("app", "x"),
                 .tolerations = bad}},
       "n/x unknown/x"},
      {"all, for neither can be read",
       {.kind = cluster,
        .spec = {.namespace_selector = unreadable(), .pod_selector = unreadable()}},
       "n/x n/y m/x m/y unknown/x unknown/y"},
      {"nobody, whatever else", {.kind = cluster, .spec = {.pod_selector = unreadable()}}, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    policies = {{.metadata = {.name = "good", .namespace_ = "n"},
                 .spec = {.pod_selector = LabelSelector{}, .node_name = "node-1"}},
                c.policy};
    policies[1].metadata.name = "bad";
    std::string denied;
    for (const char* namespace_ : {"n", "m", "unknown"}) {
      for (const char* app : {"x", "y"}) {
        const std::string by = created(configuration, pod_in(namespace_, {{"app", app}}));
        if (by.empty()) continue;
        CHECK(by == "bad");
        denied += (denied.empty() ? "" : " ") + std::string(namespace_) + "/" + app;
      }
    }
    CHECK(denied == c.denies);
  }
  policies = {cases[0].policy};
  policies[0].metadata.name = "bad";
  const Engine engine = engine_of(configuration);
  Pod old = pod_in("n", {{"app", "x"}});
  Pod pod = old;
  pod.metadata.labels["v"] = "2";
  CHECK(denied_by(
            engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)})) == "");
  CHECK(denied_by(engine.decide({.object = pod, .phase = Phase::validating})) == "");
  // What it injected before it was broken would be lost.
  old.kind = pod.kind = PodKind::deployment;
  CHECK(denied_by(engine.decide(
            {.operation = Operation::update, .object = pod, .old = Old(old)})) == "bad");
  CHECK(denied_by(
            engine.decide({.operation = Operation::update, .object = old, .old = Old(old)})) == "");
}

TEST_CASE("a MetadataPolicy that cannot be used denies those that a rule of it selects") {
  Configuration configuration = running(System::metadata_policy);
  auto& policies = configuration.objects.metadata_policies;
  const metadata_policy::PolicyAction bad = {.updated_labels = {{"no key!", "x"}}};
  const auto rule = [&](metadata_policy::PolicyPredicate predicate) {
    return metadata_policy::MetadataPolicyRule{.policy_predicate = std::move(predicate),
                                               .policy_action = bad};
  };
  policies = {
      {.metadata = {.name = "good", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = labelled("app", "z")},
                           .policy_action = {.reject = true}}}}},
      {.metadata = {.name = "bad", .namespace_ = "n"},
       .spec = {.rules = {rule({.label_selector = labelled("app", "x")}),
                          rule({.annotation_selector = labelled("scheduler.alpha.kubernetes.io/qos",
                                                                "Guaranteed")})}}}};
  CHECK(created(configuration, pod_in("n", {{"app", "x"}})) == "bad");
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "");
  CHECK(created(configuration, pod_in("m", {{"app", "x"}})) == "");
  Pod guaranteed = pod_in("n");
  const ResourceList some = {{"cpu", *Quantity::parse("1")}, {"memory", *Quantity::parse("1Gi")}};
  guaranteed.spec.containers = {{.name = "c", .resources = {.requests = some, .limits = some}}};
  CHECK(created(configuration, guaranteed) == "bad");
  policies[1].spec.rules = {rule({.label_selector = unreadable()})};
  CHECK(created(configuration, pod_in("n")) == "bad");
  CHECK(created(configuration, pod_in("m")) == "");
  // The rules that can be read are not lost.
  const Engine engine = engine_of(configuration);
  const Decision both = engine.decide({.object = pod_in("n", {{"app", "z"}})});
  REQUIRE(both.steps.size() == 1);
  CHECK(both.steps[0].violations.size() == 2);
  const auto updated = [&](PodKind kind, const char* to) {
    Pod old = pod_in("n", {{"app", "x"}});
    old.kind = kind;
    Pod pod = old;
    pod.metadata.labels["app"] = to;
    return engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)});
  };
  CHECK(updated(PodKind::pod, "y").allowed);
  CHECK(!updated(PodKind::pod, "z").allowed);
  CHECK(denied_by(updated(PodKind::deployment, "y")) == "bad");
}

TEST_CASE("a ResourcePolicy that cannot be used denies those that it selects") {
  Configuration configuration = running(System::resource_policy);
  auto& policies = configuration.objects.resource_policies;
  policies = {{.metadata = {.name = "bad", .namespace_ = "n"},
               .spec = {.pod_selector = labelled("app", "x"), .units = {{.max_count = -1}}}},
              {.metadata = {.name = "good", .namespace_ = "n"}}};
  CHECK(created(configuration, pod_in("n", {{"app", "x"}})) == "bad");
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "");
  CHECK(created(configuration, pod_in("m", {{"app", "x"}})) == "");
  policies[0].spec.pod_selector.reset();
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "bad");
  policies[0].spec.pod_selector = unreadable();
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "bad");
  CHECK(created(configuration, pod_in("m", {{"app", "y"}})) == "");
  // Each that selects it is named.
  policies[1].metadata.name = "worse";
  policies[1].spec.units = {{.max_count = -1}};
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "bad worse");
}

TEST_CASE("a role or a binding that cannot be used grants nothing") {
  Configuration configuration = running(System::scheduling_policy);
  configuration.settings.policy_use = PolicyUse::rbac;
  auto& objects = configuration.objects;
  objects.scheduling_policies = {
      {.metadata = {.name = "good"}, .spec = {.allowed = {.scheduler_names = any}}}};
  const rbac::ClusterRole role = {
      .metadata = {.name = "use"},
      .rules = {{.verbs = {"use"}, .api_groups = {"*"}, .resources = {"*"}}}};
  const rbac::ClusterRoleBinding binding = {
      .metadata = {.name = "use"},
      .role_ref = {.kind = "ClusterRole", .name = "use"},
      .subjects = {{.kind = "Group", .name = "system:serviceaccounts"}}};
  const auto allowed = [&] {
    return engine_of(configuration).decide({.object = pod_in("n")}).allowed;
  };
  objects.rbac = {.cluster_roles = {role}, .cluster_role_bindings = {binding}};
  CHECK(allowed());
  objects.rbac.cluster_roles = {role, role};
  CHECK(!allowed());
  objects.rbac.cluster_roles = {role};
  objects.rbac.cluster_role_bindings = {binding, binding};
  CHECK(!allowed());
  objects.rbac.cluster_role_bindings = {binding};
  objects.rbac.cluster_role_bindings[0].metadata.name.clear();
  CHECK(!allowed());
}

TEST_CASE("an object that cannot be read denies the pods that it may be about, and no others") {
  Configuration all;
  all.systems = {{System::runtime_class},
                 {System::metadata_policy},
                 {System::pod_scheduling_policy},
                 {System::scheduling_policy},
                 {System::resource_policy}};
  auto& objects = all.objects;
  objects.namespaces = {{{.name = "n", .labels = {{"team", "a"}}}},
                        {{.name = "m", .labels = {{"team", "b"}}}}};
  objects.runtime_classes = {{.metadata = {.name = "good"}, .handler = "h"}};
  objects.scheduling_policies = {
      {.metadata = {.name = "good"}, .spec = {.allowed = {.scheduler_names = any}}}};
  // What everybody may use in `n` and `m`, and in `n` alone.
  const auto may_use = [&](const char* policy, std::vector<std::string> in) {
    objects.rbac.cluster_roles.push_back({.metadata = {.name = policy},
                                          .rules = {{.verbs = {"use"},
                                                     .api_groups = {"schedpol.io"},
                                                     .resources = {"schedulingpolicies"},
                                                     .resource_names = {policy}}}});
    for (const std::string& namespace_ : in) {
      objects.rbac.role_bindings.push_back(
          {.metadata = {.name = policy, .namespace_ = namespace_},
           .role_ref = {.kind = "ClusterRole", .name = policy},
           .subjects = {{.kind = "Group", .name = "system:serviceaccounts"}}});
    }
  };
  may_use("good", {"n", "m"});
  may_use("bad", {"n"});
  struct Case {
    const char* what;
    engine::UnreadableObject object;
    std::string denies;  ///< the pods, as `namespace/app/class`
  };
  using Selection = engine::PodSelection;
  const std::string n = "n/x/ n/x/bad n/y/ n/y/bad";
  const std::string m = "m/x/ m/x/bad m/y/ m/y/bad";
  const auto app_x = labelled("app", "x");
  const Case cases[] = {
      {"those that name it", {.kind = "RuntimeClass"}, "n/x/bad n/y/bad m/x/bad m/y/bad"},
      {"those whose user may use it", {.kind = "SchedulingPolicy"}, n},
      {"all of its namespace", {.kind = "PodSchedulingPolicy", .namespace_ = "n"}, n},
      {"those that it selects in its namespace",
       {.kind = "PodSchedulingPolicy", .namespace_ = "n", .selects = {{.labels = app_x}}},
       "n/x/ n/x/bad"},
      {"all of its namespace, for the selector is none",
       {.kind = "PodSchedulingPolicy", .namespace_ = "n", .selects = {{.labels = unreadable()}}},
       n},
      {"all, for it may be meant for any namespace", {.kind = "PodSchedulingPolicy"}, n + " " + m},
      {"all", {.kind = "ClusterPodSchedulingPolicy"}, n + " " + m},
      {"those in the namespaces that it selects",
       {.kind = "ClusterPodSchedulingPolicy", .selects = {{.namespaces = labelled("team", "b")}}},
       m},
      {"all of its namespace", {.kind = "MetadataPolicy", .namespace_ = "m"}, m},
      {"those that one of its rules selects",
       {.kind = "MetadataPolicy",
        .namespace_ = "m",
        .selects = {{.labels = app_x}, Selection{.annotations = labelled("no", "body")}}},
       "m/x/ m/x/bad"},
      {"all of its namespace", {.kind = "ResourcePolicy", .namespace_ = "m"}, m},
      {"those that it selects",
       {.kind = "ResourcePolicy", .namespace_ = "m", .selects = {{.labels = app_x}}},
       "m/x/ m/x/bad"},
      {"nobody, for it grants nothing", {.kind = "Role", .namespace_ = "n"}, ""},
      {"nobody, for no system looks at it", {.kind = "Deployment", .namespace_ = "n"}, ""},
  };
  objects.runtime_classes.push_back({.metadata = {.name = "bad"}, .handler = "h"});
  for (const Case& c : cases) {
    CAPTURE(c.object.kind);
    CAPTURE(c.what);
    Configuration configuration = all;
    engine::UnreadableObject object = c.object;
    object.name = "bad";
    object.errors = {{ErrorType::type_invalid, FieldPath{"spec"}, "", "must be an object"}};
    if (object.kind == "RuntimeClass") configuration.objects.runtime_classes.pop_back();
    configuration.objects.unreadable = {object};
    const Engine engine = engine_of(configuration);
    const auto denied = [](const Engine& by) {
      std::string pods;
      for (const char* in : {"n", "m"}) {
        for (const char* app : {"x", "y"}) {
          for (const char* of_class : {"", "bad"}) {
            Pod pod = pod_in(in, {{"app", app}});
            pod.spec.runtime_class_name = of_class;
            const std::string names = denied_by(by.decide({.object = pod}));
            if (names.empty()) continue;
            CHECK(names == "bad");
            pods += (pods.empty() ? "" : " ") + std::string(in) + "/" + app + "/" + of_class;
          }
        }
      }
      return pods;
    };
    CHECK(denied(engine) == c.denies);
    const std::string path =
        object.kind + "[" + (object.namespace_.empty() ? "" : object.namespace_ + "/") + "bad]";
    REQUIRE(!engine.problems().empty());
    const bool is_known = object.kind != "Deployment";
    if (!object.namespace_.empty() && is_known)
      CHECK(to_string(engine.problems()[0].field) == path + ".spec");
    CHECK(engine.problems() == validate(configuration));
    // The same where it comes in the place of one that can be used, and one of these after it.
    const Engine before = engine_of(all);
    engine::Objects changes;
    changes.unreadable = {object};
    CHECK(denied(before) == "");
    CHECK(denied(before.with(changes)) == c.denies);
    if (object.kind == "RuntimeClass") continue;
    CHECK(denied(before.with(changes).without(changes)) == "");
    CHECK(before.with(changes).without(changes).problems().empty() == is_known);
  }
}

TEST_CASE("of an object that could be read and one of its name that could not neither is used") {
  Configuration configuration = running(System::scheduling_policy);
  auto& objects = configuration.objects;
  objects.scheduling_policies = {
      {.metadata = {.name = "a"}, .spec = {.allowed = {.scheduler_names = any}}}};
  const Engine good = engine_of(configuration);
  CHECK(denied_by(good.decide({.object = pod_in("n")})) == "");
  objects.unreadable = {{.kind = "SchedulingPolicy", .name = "a"}};
  const Engine engine = engine_of(configuration);
  CHECK(denied_by(engine.decide({.object = pod_in("n")})) == "a");
  REQUIRE(engine.problems().size() == 2);
  CHECK(message(engine.problems()[0]) ==
        "`SchedulingPolicy[a].metadata.name`: duplicate value `a`: another object has this name");
  CHECK(message(engine.problems()[1]) == "`SchedulingPolicy[a]`: invalid value: cannot be read");
  // What can be read comes in its place.
  engine::Objects readable;
  readable.scheduling_policies = objects.scheduling_policies;
  CHECK(denied_by(engine.with(readable).decide({.object = pod_in("n")})) == "");
  CHECK(engine.with(readable).problems().empty());
  CHECK(denied_by(good.with(objects).decide({.object = pod_in("n")})) == "a");
}

TEST_CASE("objects that could not be read are taken away by their names, however many they are") {
  Configuration configuration = running(System::metadata_policy);
  configuration.objects.unreadable = {{.kind = "MetadataPolicy", .namespace_ = "n", .name = "a"},
                                      {.kind = "MetadataPolicy", .namespace_ = "m", .name = "b"}};
  const Engine engine = engine_of(configuration);
  CHECK(denied_by(engine.decide({.object = pod_in("n")})) == "a");
  CHECK(denied_by(engine.decide({.object = pod_in("m")})) == "b");
  const Engine without = engine.without(configuration.objects);
  CHECK(problems(without).empty());
  CHECK(denied_by(without.decide({.object = pod_in("n")})) == "");
  CHECK(denied_by(without.decide({.object = pod_in("m")})) == "");
}

TEST_CASE("of two policies of one name either may be the one that counts") {
  Configuration configuration = running(System::resource_policy);
  configuration.objects.resource_policies = {{.metadata = {.name = "twice", .namespace_ = "n"},
                                              .spec = {.pod_selector = labelled("app", "x")}},
                                             {.metadata = {.name = "twice", .namespace_ = "n"},
                                              .spec = {.pod_selector = labelled("app", "y")}}};
  CHECK(created(configuration, pod_in("n", {{"app", "x"}})) == "twice");
  CHECK(created(configuration, pod_in("n", {{"app", "y"}})) == "twice");
  CHECK(created(configuration, pod_in("n", {{"app", "z"}})) == "");
  configuration.objects.resource_policies[1].spec.pod_selector = labelled("app", "x");
  CHECK(created(configuration, pod_in("n", {{"app", "x"}})) == "twice");
}

TEST_CASE("a namespace that is there twice or cannot be read is not known") {
  Configuration configuration = running(System::pod_scheduling_policy);
  configuration.objects.pod_scheduling_policies = {
      {.kind = PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "p"},
       .spec = {.namespace_selector = labelled("team", "a"), .pod_selector = LabelSelector{}}}};
  configuration.objects.namespaces = {{{.name = "n", .labels = {{"team", "b"}}}}};
  CHECK(engine_of(configuration).decide({.object = pod_in("n")}).allowed);
  const auto code = [&](const Engine& engine) {
    const Decision decision = engine.decide({.object = pod_in("n")});
    REQUIRE(decision.steps.size() == 1);
    REQUIRE(decision.steps[0].violations.size() == 1);
    return decision.steps[0].violations[0].code;
  };
  configuration.objects.namespaces.push_back({{.name = "n"}});
  CHECK(code(engine_of(configuration)) == Code::namespace_not_found);
  configuration.objects.namespaces.pop_back();
  engine::Objects changes;
  changes.unreadable = {{.kind = "Namespace", .name = "n"}};
  CHECK(code(engine_of(configuration).with(changes)) == Code::namespace_not_found);
  CHECK(problems(engine_of(configuration).with(changes)) ==
        std::vector<std::string>{"Namespace[n]"});
  // Nor is one that went, whatever went with it.
  CHECK(
      code(engine_of(configuration).without({.namespaces = {{{.name = "m"}}, {{.name = "n"}}}})) ==
      Code::namespace_not_found);
}

TEST_CASE("a system that does not enforce only says what it cannot use") {
  Configuration configuration = running(System::scheduling_policy);
  configuration.systems[0].mode = Mode::warn;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "bad"}, .spec = {.required = {.scheduler_names = any}}}};
  const Decision decision = engine_of(configuration).decide({.object = pod_in("n")});
  CHECK(decision.allowed);
  REQUIRE(decision.steps.size() == 1);
  REQUIRE(decision.steps[0].violations.size() == 1);
  CHECK(message(decision.steps[0].violations[0])
            .starts_with("`spec`: `bad` cannot be evaluated: "
                         "`SchedulingPolicy[bad].spec.required.schedulerNames`"));
}

}  // namespace problems_test
