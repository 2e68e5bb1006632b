// SPDX-License-Identifier: Apache-2.0
// Requesters that place the pods of others: Kueue, which holds a pod by a gate and writes where it
// goes.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <string>
#include <vector>

namespace placers_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::System;
using Code = ViolationCode;

const std::string kueue = "system:serviceaccount:kueue-system:kueue-controller-manager";
const std::string other_placer = "system:serviceaccount:volcano-system:volcano-controllers";

// Permits nothing but the scheduler, so that whatever passes shows.
Configuration nothing_allowed() {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.settings.placers = {kueue, other_placer};
  configuration.systems = {{System::scheduling_policy}};
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "s"}, .spec = {.allowed = {.scheduler_names = {"default-scheduler"}}}}};
  return configuration;
}

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

Pod gated(std::vector<std::string> gates = {"kueue.x-k8s.io/admission"}) {
  Pod pod{.metadata = {.name = "train-0", .namespace_ = "ml"}};
  for (std::string& gate : gates) pod.spec.scheduling_gates.push_back({.name = std::move(gate)});
  return pod;
}

NodeAffinity in_zone() {
  NodeAffinity node;
  node.required_during_scheduling_ignored_during_execution = {
      {{{.match_expressions = {
             {.key = "zone", .operator_ = NodeSelectorOperator::in, .values = {"a"}}}}}}};
  return node;
}

// What the flavor that the pod was admitted to says.
Pod placed(Pod pod) {
  pod.spec.scheduling_gates.clear();
  pod.spec.node_selector["cloud.example.com/gpu"] = "a100";
  pod.spec.tolerations.push_back(
      {.key = "gpu", .operator_ = TolerationOperator::exists, .effect = TaintEffect::no_schedule});
  return pod;
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& step : decision.steps)
    for (const Violation& violation : step.violations) all.push_back(violation.code);
  return all;
}

Decision updated(const Engine& engine, const Pod& old, const Pod& pod,
                 const std::string& by = kueue, Phase phase = Phase::mutating) {
  return engine.decide({.operation = Operation::update,
                        .object = pod,
                        .old = Old(old),
                        .requester = {.name = by},
                        .phase = phase});
}

TEST_CASE("a gated pod is placed by its placer, and by nobody else") {
  const Engine engine = engine_of(nothing_allowed());
  const Pod created = gated();
  REQUIRE(engine.decide({.object = created, .requester = {.name = "ann"}}).allowed);
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const Decision decision = updated(engine, created, placed(created), kueue, phase);
    CHECK(decision.allowed);
    CHECK(codes(decision).empty());
    CHECK(decision.pod == placed(created));
    CHECK(updated(engine, created, placed(created), other_placer, phase).allowed);
    CHECK(codes(updated(engine, created, placed(created), "ann", phase)) ==
          std::vector{Code::node_selector_not_allowed, Code::toleration_not_allowed});
  }
  // What it has been given stays its own when anybody writes its labels.
  Pod labelled = placed(created);
  labelled.metadata.labels = {{"seen", "yes"}};
  CHECK(updated(engine, placed(created), labelled, "ann").allowed);
}

TEST_CASE("all that a placer adds needs no permission, whatever it is") {
  const Engine engine = engine_of(nothing_allowed());
  Pod pod = placed(gated());
  pod.spec.affinity = Affinity{.node_affinity = in_zone()};
  CHECK(updated(engine, gated(), pod).allowed);
  pod.spec.scheduling_gates = {{"another"}};  // it takes one of two away
  CHECK(updated(engine, gated({"kueue.x-k8s.io/admission", "another"}), pod).allowed);
}

TEST_CASE("what was there when the pod was made needed permission, and still does") {
  const Engine engine = engine_of(nothing_allowed());
  Pod pod = placed(gated());
  pod.spec.scheduling_gates = gated().spec.scheduling_gates;
  for (const std::string& by : {std::string("ann"), kueue, other_placer})
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      CAPTURE(by);
      CHECK(codes(engine.decide({.object = pod, .requester = {.name = by}, .phase = phase})) ==
            std::vector{Code::node_selector_not_allowed, Code::toleration_not_allowed});
    }
}

TEST_CASE("nobody gains a permission by what he writes around gates and placers") {
  struct Attempt {
    const char* what;
    void (*change)(Configuration& configuration, engine::Request& request);
  };
  // Each begins at an update by the placer that would pass: of a pod that had a gate.
  const Attempt attempts[] = {
      {"a user", [](Configuration&, engine::Request& r) { r.requester.name = "ann"; }},
      {"nobody", [](Configuration&, engine::Request& r) { r.requester.name.clear(); }},
      {"an account of the name elsewhere",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "system:serviceaccount:ml:kueue-controller-manager";
       }},
      {"another account of the placer's namespace",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "system:serviceaccount:kueue-system:default";
       }},
      {"the placer's name as a group",
       [](Configuration&, engine::Request& r) {
         r.requester = {"ann", {kueue}};
       }},
      {"the group of the placer's namespace",
       [](Configuration&, engine::Request& r) {
         r.requester = {"ann", {"system:serviceaccounts:kueue-system"}};
       }},
      {"a name in other letters",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "System:serviceaccount:kueue-system:kueue-controller-manager";
       }},
      {"the beginning of the name",
       [](Configuration&, engine::Request& r) { r.requester.name.pop_back(); }},
      {"more than the name", [](Configuration&, engine::Request& r) { r.requester.name += "-0"; }},
      {"an administrator",
       [](Configuration&, engine::Request& r) {
         r.requester = {"kubernetes-admin", {"system:masters"}};
       }},
      {"the DaemonSet controller",
       [](Configuration& c, engine::Request& r) {
         r.requester.name = c.settings.daemon_set_controller;
       }},
      {"a node",
       [](Configuration&, engine::Request& r) {
         r.requester = {"system:node:a", {"system:nodes"}};
       }},
      {"no placers", [](Configuration& c, engine::Request&) { c.settings.placers = {}; }},
      {"a placer without a name, and nobody",
       [](Configuration& c, engine::Request& r) {
         c.settings.placers = {""};
         r.requester.name.clear();
       }},
      {"a pattern in place of a name",
       [](Configuration& c, engine::Request&) { c.settings.placers = {"*"}; }},
      {"the pod's account as the placer's",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "ann";
         r.object.metadata.namespace_ = "kueue-system";
         r.object.spec.service_account_name = "kueue-controller-manager";
       }},
      {"the old pod had no gates",
       [](Configuration&, engine::Request& r) { r.old.object.spec.scheduling_gates.clear(); }},
      {"gates come with the update",
       [](Configuration&, engine::Request& r) {
         r.object.spec.scheduling_gates = std::exchange(r.old.object.spec.scheduling_gates, {});
       }},
      {"the gates were in an annotation",
       [](Configuration&, engine::Request& r) {
         r.old.object.metadata.annotations = {{"kueue.x-k8s.io/admission", "true"}};
         r.old.object.spec.scheduling_gates.clear();
       }},
      {"a label of the placer's",
       [](Configuration&, engine::Request& r) {
         r.old.object.metadata.labels = {{"kueue.x-k8s.io/managed", "true"}};
         r.object.metadata.labels = r.old.object.metadata.labels;
         r.old.object.spec.scheduling_gates.clear();
       }},
      {"an owner of the placer's",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "ann";
         r.object.metadata.owner_references = {
             {.kind = "Workload", .name = "train", .controller = true}};
         r.old.object.metadata.owner_references = r.object.metadata.owner_references;
       }},
      {"an owner that is a DaemonSet",
       [](Configuration&, engine::Request& r) {
         r.requester.name = "ann";
         r.object.metadata.owner_references = {
             {.kind = "DaemonSet", .name = "agent", .controller = true}};
       }},
      {"the pod is made",
       [](Configuration&, engine::Request& r) { r.operation = Operation::create; }},
      {"the pod is made, gated",
       [](Configuration&, engine::Request& r) {
         r.operation = Operation::create;
         r.object.spec.scheduling_gates = r.old.object.spec.scheduling_gates;
       }},
      {"a Job", [](Configuration&, engine::Request& r) { r.object.kind = PodKind::job; }},
      {"a Job that was one",
       [](Configuration&, engine::Request& r) {
         r.object.kind = PodKind::job;
         r.old.object.kind = PodKind::job;
       }},
      {"a Deployment whose template is gated",
       [](Configuration&, engine::Request& r) {
         r.object.kind = PodKind::deployment;
         r.old.object.kind = PodKind::deployment;
         r.object.spec.scheduling_gates = r.old.object.spec.scheduling_gates;
       }},
      {"a pod that was a template",
       [](Configuration&, engine::Request& r) { r.old.object.kind = PodKind::job; }},
      {"an old pod that was moved from",
       [](Configuration&, engine::Request& r) {
         const Pod taken = std::move(r.old.object);  // NOLINT(bugprone-use-after-move)
         REQUIRE_FALSE(taken.spec.scheduling_gates.empty());
       }},
      {"the placer's namespace as its name",
       [](Configuration& c, engine::Request&) {
         c.settings.placers = {"system:serviceaccount:kueue-system:"};
       }},
      {"the placer's group as a placer",
       [](Configuration& c, engine::Request& r) {
         c.settings.placers = {"system:serviceaccounts:kueue-system"};
         r.requester.groups = {"system:serviceaccounts:kueue-system"};
       }},
      {"a suspended Job whose template is gated",
       [](Configuration&, engine::Request& r) {
         r.object.kind = PodKind::job;
         r.old.object.kind = PodKind::job;
         r.object.spec.scheduling_gates = r.old.object.spec.scheduling_gates;
       }},
      {"the pod is made anew under the name of one that was gated",
       [](Configuration&, engine::Request& r) {
         r.operation = Operation::create;
         r.object.metadata = r.old.object.metadata;
       }},
  };
  int made = 0;
  for (const Attempt& attempt : attempts) {
    CAPTURE(attempt.what);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      Configuration configuration = nothing_allowed();
      engine::Request request{.operation = Operation::update,
                              .object = placed(gated()),
                              .old = Old(gated()),
                              .requester = {.name = kueue},
                              .phase = phase};
      REQUIRE(engine_of(configuration).decide(request).allowed);
      attempt.change(configuration, request);
      const Decision decision = engine_of(configuration).decide(request);
      CHECK_FALSE(decision.allowed);
      CHECK_FALSE(codes(decision).empty());
      ++made;
    }
  }
  CHECK(made >= 60);
}

TEST_CASE("other systems judge what a placer writes as they judge anybody") {
  Configuration configuration = nothing_allowed();
  configuration.systems = {{System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "ml"},
       .spec = {.rules = {{.policy_predicate = {.label_selector =
                                                    LabelSelector{.match_labels = {{"a", "b"}}}},
                           .policy_action = {.reject = true}}}}}};
  const Engine engine = engine_of(configuration);
  CHECK(updated(engine, gated(), placed(gated())).allowed);
  Pod labelled = placed(gated());
  labelled.metadata.labels = {{"a", "b"}};
  CHECK_FALSE(updated(engine, gated(), labelled).allowed);
}

}  // namespace placers_test
