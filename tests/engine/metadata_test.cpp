// SPDX-License-Identifier: Apache-2.0
// What MetadataPolicies decide on objects that are no pods.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/core/limits.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace metadata_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Engine;
using engine::MetadataDecision;
using engine::Mode;
using engine::Operation;
using engine::Phase;
using engine::Scope;
using engine::System;
using metadata_policy::MetadataPolicyRule;

MetadataPolicyRule reject(LabelSelector labels) {
  return {.policy_predicate = {.label_selector = std::move(labels)},
          .policy_action = {.reject = true}};
}
LabelSelector has(std::string key, LabelSelectorOperator presence = LabelSelectorOperator::exists) {
  return {.match_expressions = {{.key = std::move(key), .operator_ = presence}}};
}

// A label is the default of the namespace, and another one is forbidden there.
Configuration configuration() {
  Configuration configuration;
  configuration.systems = {{System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = has(
                                                    "team", LabelSelectorOperator::does_not_exist)},
                           .policy_action = {.updated_labels = {{"team", "shop"}}}},
                          reject(has("forbidden"))}}}};
  return configuration;
}

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

ObjectMeta object(Labels labels, std::string namespace_ = "n") {
  return {.name = "o", .namespace_ = std::move(namespace_), .labels = std::move(labels)};
}

TEST_CASE("policies are applied to all objects in the namespace, whatever their kind") {
  struct Case {
    std::string_view group;
    std::string_view kind;
    std::string_view namespace_;
    bool is_subject;
  };
  const Case cases[] = {
      {"", "ConfigMap", "n", true},
      {"", "Secret", "n", true},
      {"apps", "Deployment", "n", true},
      {"example.com", "Database", "n", true},
      {"rbac.authorization.k8s.io", "Role", "n", true},
      // What a cluster writes about itself.
      {"", "Event", "n", false},
      {"events.k8s.io", "Event", "n", false},
      {"coordination.k8s.io", "Lease", "n", false},
      {"discovery.k8s.io", "EndpointSlice", "n", false},
      {"example.com", "Event", "n", true},
      // Objects of another namespace, and of none.
      {"", "ConfigMap", "other", false},
      {"", "Node", "", false},
      // A Namespace is no object of a namespace, whatever a request says of it.
      {"", "Namespace", "n", false},
      // What is not stored.
      {"", "Binding", "n", false},
      {"policy", "Eviction", "n", false},
      {"autoscaling", "Scale", "n", false},
      {"authentication.k8s.io", "TokenRequest", "n", false},
      {"authorization.k8s.io", "LocalSubjectAccessReview", "n", false},
      // A rule must not stop its own repair.
      {"schedpol.io", "MetadataPolicy", "n", false},
      {"extensions", "MetadataPolicy", "n", false},
      {"kupid.gardener.cloud", "PodSchedulingPolicy", "n", false},
      {"policies.example.com", "MetadataPolicy", "n", false},
      {"extensions", "SchedulingPolicy", "n", false},
      {"policies.example.com", "SchedulingPolicy", "n", false},
      {"kupid.gardener.cloud", "ClusterPodSchedulingPolicy", "n", false},
      {"scheduling.sigs.x-k8s.io", "ResourcePolicy", "n", false},
      // What has the name of one of these in another group.
      {"rabbitmq.com", "Binding", "n", true},
      {"example.com", "Namespace", "n", true},
      {"example.com", "Eviction", "n", true},
      {"example.com", "Scale", "n", true},
      {"scheduling.alibabacloud.com", "ResourcePolicy", "n", true},
      {"example.com", "PodSchedulingPolicy", "n", true},
      {"apps", "MetadataPolicy", "n", true},
  };
  const Engine engine = engine_of(configuration());
  for (const Case& each : cases) {
    CAPTURE(each.kind);
    const auto decide = [&](Labels labels) {
      return engine.decide_metadata(
          {.api_group = std::string(each.group),
           .kind = std::string(each.kind),
           .scope = each.kind == "Node" ? Scope::cluster : Scope::namespace_,
           .object = object(std::move(labels), std::string(each.namespace_))});
    };
    const MetadataDecision plain = decide({});
    CHECK(plain.allowed);
    CHECK(plain.metadata.labels == (each.is_subject ? Labels{{"team", "shop"}} : Labels{}));
    CHECK(plain.steps.empty() == !(each.is_subject || each.namespace_ == "other"));
    CHECK(decide({{"forbidden", "x"}}).allowed == !each.is_subject);
  }
}

TEST_CASE("what a cluster's own users write is left alone, but pods and workloads") {
  struct Case {
    std::string_view what;
    engine::Requester requester;
    bool is_exempt;
  };
  const Case cases[] = {
      {"the controller manager", {.name = "system:kube-controller-manager"}, true},
      {"a controller of kube-system",
       {.name = "system:serviceaccount:kube-system:root-ca-cert-publisher",
        .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system"}},
       true},
      {"a node", {.name = "system:node:a", .groups = {"system:nodes"}}, true},
      {"a service account of another namespace",
       {.name = "system:serviceaccount:shop:x",
        .groups = {"system:serviceaccounts", "system:serviceaccounts:shop"}},
       false},
      {"somebody with a node's name", {.name = "system:nodes"}, false},
      {"nobody", {}, false},
  };
  const Engine engine = engine_of(configuration());
  for (const Case& each : cases) {
    CAPTURE(each.what);
    for (const Operation operation : {Operation::create, Operation::update}) {
      for (const Phase phase : {Phase::mutating, Phase::validating}) {
        const auto is_allowed = [&](std::string group, std::string kind) {
          const MetadataDecision decision =
              engine.decide_metadata({.operation = operation,
                                      .api_group = std::move(group),
                                      .kind = std::move(kind),
                                      .object = object({{"forbidden", "x"}}),
                                      .old = Old(object({})),
                                      .requester = each.requester,
                                      .phase = phase});
          CHECK(decision.steps.empty() == decision.allowed);
          return bool(decision.allowed);
        };
        CHECK(is_allowed("", "ConfigMap") == each.is_exempt);
        CHECK(is_allowed("example.com", "Job") == each.is_exempt);
        CHECK(!is_allowed("batch", "Job"));
        CHECK(!is_allowed("apps", "ReplicaSet"));
      }
    }
    const Pod pod{.metadata = object({{"forbidden", "x"}})};
    CHECK(!engine.decide({.object = pod, .requester = each.requester}).allowed);
  }
}

TEST_CASE("a configuration says itself what MetadataPolicies are not about") {
  Configuration made = configuration();
  made.settings.metadata_policy = {.exempt_kinds = {"ConfigMap", "Deployment.apps"},
                                   .exempt_users = {"robot"},
                                   .exempt_groups = {"robots"}};
  const Engine engine = engine_of(made);
  const auto is_allowed = [&](std::string group, std::string kind, engine::Requester by = {}) {
    return bool(engine
                    .decide_metadata({.api_group = std::move(group),
                                      .kind = std::move(kind),
                                      .object = object({{"forbidden", "x"}}),
                                      .requester = std::move(by)})
                    .allowed);
  };
  CHECK(is_allowed("", "ConfigMap"));
  CHECK(is_allowed("", "Secret", {.name = "robot"}));
  CHECK(is_allowed("", "Secret", {.groups = {"people", "robots"}}));
  CHECK(!is_allowed("", "Secret", {.name = "system:kube-controller-manager"}));
  CHECK(!is_allowed("", "Event"));
  CHECK(!is_allowed("apps", "Deployment"));
}

TEST_CASE("pods say their quality of service where a rule uses it, or everywhere") {
  using metadata_policy::QosAnnotation;
  const std::string key(metadata_policy::qos_annotation);
  Configuration made = configuration();
  made.systems = {{System::metadata_policy}};
  const Pod pod{.metadata = object({})};
  const auto says = [&](const Pod& asked) {
    return engine_of(made).decide({.object = asked}).pod.metadata.annotations.contains(key);
  };
  CHECK(!says(pod));
  made.settings.metadata_policy.qos_annotation = QosAnnotation::always;
  CHECK(says(pod));
  made.settings.metadata_policy.qos_annotation = QosAnnotation::where_used;
  made.objects.metadata_policies[0].spec.rules.push_back(
      {.policy_predicate = {.annotation_selector = has(key)}});
  CHECK(says(pod));
  CHECK(!says({.metadata = object({}, "other")}));
}

TEST_CASE("a denied object is as it came, and says which rule rejects it") {
  const Engine engine = engine_of(configuration());
  const ObjectMeta forbidden = object({{"forbidden", "x"}});
  const MetadataDecision decision =
      engine.decide_metadata({.kind = "ConfigMap", .object = forbidden});
  CHECK(!decision.allowed);
  CHECK(decision.metadata == forbidden);
  REQUIRE(decision.steps.size() == 1);
  CHECK(decision.steps[0].changes.empty());
  REQUIRE(decision.steps[0].violations.size() == 1);
  CHECK(message(decision.steps[0].violations[0]) == "`metadata`: rejected by rule `1` of `m`");
}

TEST_CASE("every rule that rejects an object is told") {
  Configuration made = configuration();
  made.objects.metadata_policies[0].spec.rules.push_back(reject(has("forbidden")));
  const MetadataDecision decision = engine_of(made).decide_metadata(
      {.kind = "ConfigMap", .object = object({{"forbidden", "x"}})});
  REQUIRE(decision.steps.size() == 1);
  CHECK(decision.steps[0].violations.size() == 2);
}

TEST_CASE("MetadataPolicy decides on an object wherever it stands among the systems") {
  Configuration made = configuration();
  std::swap(made.systems[0], made.systems[1]);
  const MetadataDecision decision =
      engine_of(made).decide_metadata({.kind = "ConfigMap", .object = object({})});
  CHECK(decision.metadata.labels == Labels{{"team", "shop"}});
  REQUIRE(decision.steps.size() == 1);
  CHECK(decision.steps[0].step.system == System::metadata_policy);
}

TEST_CASE("an object is asked about again until nothing changes, so often and no more") {
  const auto becomes = [](const char* from, const char* to) -> MetadataPolicyRule {
    return {.policy_predicate = {.label_selector = {{.match_labels = {{"state", from}}}}},
            .policy_action = {.updated_labels = {{"state", to}}}};
  };
  const auto decide = [](std::vector<MetadataPolicyRule> rules) {
    Configuration made = configuration();
    made.objects.metadata_policies[0].spec.rules = std::move(rules);
    return engine_of(made).decide_metadata(
        {.kind = "ConfigMap", .object = object({{"state", "a"}})});
  };
  const MetadataDecision settled = decide({becomes("a", "b"), becomes("b", "c")});
  CHECK(settled.metadata.labels == Labels{{"state", "c"}});
  CHECK(settled.steps[0].changes.size() == 2);
  const MetadataDecision undone = decide({becomes("a", "b"), becomes("b", "a")});
  CHECK(undone.allowed);
  CHECK(undone.steps[0].changes.size() == std::size_t{max_decision_rounds});
  // One that is rejected in the end is as it came.
  const MetadataDecision rejected =
      decide({becomes("a", "b"), reject({.match_labels = {{"state", "b"}}})});
  CHECK(!rejected.allowed);
  CHECK(rejected.metadata == object({{"state", "a"}}));
  CHECK(rejected.steps[0].changes.empty());
  CHECK(rejected.steps[0].violations.size() == 1);
}

TEST_CASE("creation and update of an object are rejected, and its default label comes back") {
  const Engine engine = engine_of(configuration());
  const ObjectMeta stored = object({{"team", "shop"}});
  struct Case {
    std::string_view name;
    ObjectMeta old;
    ObjectMeta updated;
    Phase phase;
    bool allowed;
    Labels becomes;
  };
  ObjectMeta going = object({{"forbidden", "x"}});
  going.deletion_timestamp = "2026-01-01T00:00:00Z";
  const Case cases[] = {
      {"a label taken off", stored, object({}), Phase::mutating, true, {{"team", "shop"}}},
      {"a label of one's own",
       stored,
       object({{"team", "x"}}),
       Phase::mutating,
       true,
       {{"team", "x"}}},
      {"a forbidden label",
       stored,
       object({{"forbidden", "x"}}),
       Phase::mutating,
       false,
       {{"forbidden", "x"}}},
      {"after all mutators ran",
       stored,
       object({{"forbidden", "x"}}),
       Phase::validating,
       false,
       {{"forbidden", "x"}}},
      {"one that was there",
       object({{"forbidden", "x"}}),
       object({{"forbidden", "y"}}),
       Phase::mutating,
       true,
       {{"forbidden", "y"}}},
      {"the last finalizer", object({}), going, Phase::mutating, true, {{"forbidden", "x"}}},
      {"a validating webhook changes nothing", stored, object({}), Phase::validating, true, {}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    const MetadataDecision decision = engine.decide_metadata({.operation = Operation::update,
                                                              .kind = "ConfigMap",
                                                              .object = each.updated,
                                                              .old = Old(each.old),
                                                              .phase = each.phase});
    CHECK(decision.allowed == each.allowed);
    CHECK(decision.metadata.labels == each.becomes);
  }
}

TEST_CASE("asked about its own answer an engine changes nothing, in either phase") {
  Configuration made = configuration();
  // The rule that writes the label is the only one that may.
  made.objects.metadata_policies[0].spec.rules.push_back(reject(has("team")));
  const Engine engine = engine_of(made);
  const MetadataDecision first =
      engine.decide_metadata({.kind = "ConfigMap", .object = object({})});
  REQUIRE(first.allowed);
  REQUIRE(first.metadata.labels == Labels{{"team", "shop"}});
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const MetadataDecision again =
        engine.decide_metadata({.kind = "ConfigMap", .object = first.metadata, .phase = phase});
    CHECK(again.allowed);
    CHECK(again.metadata == first.metadata);
    CHECK(again.steps[0].changes.empty());
    ObjectMeta added = first.metadata;
    added.labels["forbidden"] = "x";
    CHECK(!engine.decide_metadata({.kind = "ConfigMap", .object = added, .phase = phase}).allowed);
    CHECK(!engine
               .decide_metadata(
                   {.kind = "ConfigMap", .object = object({{"team", "x"}}), .phase = phase})
               .allowed);
  }
}

TEST_CASE("a label that a later webhook gives to a pod is judged after all mutators ran") {
  const Engine engine = [] {
    Configuration made = configuration();
    made.systems = {{System::metadata_policy}};
    return engine_of(made);
  }();
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    const Pod pod{.kind = kind, .metadata = object({})};
    const engine::Decision decision = engine.decide({.object = pod});
    REQUIRE(decision.allowed);
    CHECK(engine.decide({.object = decision.pod, .phase = Phase::validating}).allowed);
    Pod labelled = decision.pod;
    labelled.metadata.labels["forbidden"] = "x";
    CHECK(!engine.decide({.object = labelled, .phase = Phase::validating}).allowed);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      CHECK(!engine
                 .decide({.operation = Operation::update,
                          .object = labelled,
                          .old = Old(decision.pod),
                          .phase = phase})
                 .allowed);
    }
  }
}

TEST_CASE("a default label that is taken off a pod comes back, its scheduler does not") {
  Configuration made = configuration();
  made.systems = {{System::metadata_policy}};
  made.objects.metadata_policies[0].spec.rules.push_back(
      {.policy_action = {.updated_annotations = {{"scheduler.alpha.kubernetes.io/name", "x"}}}});
  const Engine engine = engine_of(made);
  const Pod stored = engine.decide({.object = {.metadata = object({})}}).pod;
  REQUIRE(stored.spec.scheduler_name == "x");
  Pod updated = stored;
  updated.metadata.labels.clear();
  updated.spec.scheduler_name = "y";
  const engine::Decision decision =
      engine.decide({.operation = Operation::update, .object = updated, .old = Old(stored)});
  CHECK(decision.allowed);
  CHECK(decision.pod.metadata == stored.metadata);
  CHECK(decision.pod.spec.scheduler_name == "y");
}

TEST_CASE("a template that its workload does not select any more is allowed with a warning") {
  Configuration made = configuration();
  made.systems = {{System::metadata_policy}};
  made.objects.metadata_policies[0].spec.rules = {
      {.policy_action = {.updated_labels = {{"app", "db"}}}}};
  const Engine engine = engine_of(made);
  Pod workload{.kind = PodKind::deployment, .metadata = object({{"app", "web"}})};
  workload.selector = LabelSelector{.match_labels = {{"app", "web"}}};
  Pod old = workload;
  old.spec.scheduler_name = "old";
  for (const engine::Request& request :
       {engine::Request{.object = workload},
        engine::Request{.operation = Operation::update, .object = workload, .old = Old(old)}}) {
    const engine::Decision decision = engine.decide(request);
    CHECK(decision.allowed);
    CHECK(decision.pod.metadata.labels == Labels{{"app", "db"}});
    REQUIRE(decision.steps[0].warnings.size() == 1);
    CHECK(decision.steps[0].warnings[0].field ==
          FieldPath{"spec", "template", "metadata", "labels"}.key("app"));
  }
  // What was stored so is not changed again.
  workload.metadata.labels["app"] = "db";
  CHECK(engine.decide({.object = workload}).steps[0].warnings.empty());
}

TEST_CASE("a system that does not enforce only says what it would do to an object") {
  for (const Mode mode : {Mode::warn, Mode::audit}) {
    Configuration made = configuration();
    made.systems = {{System::metadata_policy, mode}};
    const Engine engine = engine_of(made);
    const MetadataDecision changed =
        engine.decide_metadata({.kind = "ConfigMap", .object = object({})});
    CHECK(changed.allowed);
    CHECK(changed.metadata.labels.empty());
    CHECK(changed.steps[0].changes.size() == 1);
    const MetadataDecision rejected =
        engine.decide_metadata({.kind = "ConfigMap", .object = object({{"forbidden", "x"}})});
    CHECK(rejected.allowed);
    CHECK(rejected.steps[0].violations.size() == 1);
  }
}

TEST_CASE("a policy that cannot be used denies the objects that it may be about") {
  Configuration made = configuration();
  made.objects.metadata_policies[0].spec.rules[0].policy_action.updated_labels = {{"no key!", "x"}};
  const Engine engine = engine_of(made);
  const auto decide = [&](Operation operation) {
    return engine.decide_metadata({.operation = operation,
                                   .kind = "ConfigMap",
                                   .object = object({}),
                                   .old = Old(object({}))});
  };
  const MetadataDecision decision = decide(Operation::create);
  CHECK(!decision.allowed);
  CHECK(decision.steps[0].violations[0].code == ViolationCode::invalid_policy);
  CHECK(decision.steps[0].violations[0].field == "metadata");
  // What is there already is not kept from being updated.
  CHECK(decide(Operation::update).allowed);
}

TEST_CASE("where MetadataPolicy is not run no object but pods is decided on") {
  Configuration made = configuration();
  made.systems = {{System::scheduling_policy}};
  const MetadataDecision decision = engine_of(made).decide_metadata(
      {.kind = "ConfigMap", .object = object({{"forbidden", "x"}})});
  CHECK(decision.allowed);
  CHECK(decision.steps.empty());
  CHECK(!Engine().decide_metadata({.kind = "ConfigMap", .object = object({})}).allowed);
}

}  // namespace metadata_test
