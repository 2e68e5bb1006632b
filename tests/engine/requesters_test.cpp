// SPDX-License-Identifier: Apache-2.0
// Requesters that place pods themselves: the DaemonSet controller, and nodes.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/scheduling_policy/options.hpp>

#include <string>
#include <vector>

namespace requesters_test {

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

const std::string controller = "system:serviceaccount:kube-system:daemon-set-controller";

// Permits nothing but the scheduler, so that whatever is exempt shows.
Configuration nothing_allowed() {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
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

NodeSelectorRequirement node_is(const char* name) {
  return {.key = "metadata.name", .operator_ = NodeSelectorOperator::in, .values = {name}};
}
NodeSelectorRequirement exists(const char* key) {
  return {.key = key, .operator_ = NodeSelectorOperator::exists};
}

Affinity required(std::vector<NodeSelectorTerm> terms) {
  NodeAffinity node;
  node.required_during_scheduling_ignored_during_execution = {{std::move(terms)}};
  return {.node_affinity = std::move(node)};
}

// As the controller makes it: of one term, which replaces those of the DaemonSet.
Pod daemon_pod(std::vector<NodeSelectorTerm> terms = {{.match_fields = {node_is("node-1")}}}) {
  Pod pod{.metadata = {
              .name = "agent-x",
              .namespace_ = "n",
              .owner_references = {{.kind = "DaemonSet", .name = "agent", .controller = true}}}};
  pod.spec.tolerations = scheduling_policy::daemon_set_tolerations();
  pod.spec.affinity = required(std::move(terms));
  return pod;
}

Decision created(const Engine& engine, const Pod& pod, const std::string& by = controller,
                 Phase phase = Phase::mutating) {
  return engine.decide({.object = pod, .requester = {.name = by}, .phase = phase});
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps)
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  return all;
}

std::vector<std::string> warnings_of(const Decision& decision) {
  std::vector<std::string> all;
  for (const auto& said : decision.steps)
    for (const Warning& warning : said.warnings) all.push_back(message(warning));
  return all;
}

TEST_CASE("what the DaemonSet controller adds is its own doing, whoever it is that owns the pod") {
  Configuration configuration = nothing_allowed();
  const Pod pod = daemon_pod();
  REQUIRE(pod.spec.tolerations.size() == 7);
  const std::vector denied = {Code::toleration_not_allowed, Code::toleration_not_allowed,
                              Code::toleration_not_allowed, Code::toleration_not_allowed,
                              Code::toleration_not_allowed, Code::toleration_not_allowed,
                              Code::toleration_not_allowed, Code::affinity_not_allowed};
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const Engine engine = engine_of(configuration);
    const Decision decision = created(engine, pod, controller, phase);
    CHECK(codes(decision).empty());
    CHECK(decision.allowed);
    CHECK(decision.pod == pod);
    for (const char* other : {"", "system:serviceaccount:n:daemon-set-controller", "admin"})
      CHECK(codes(created(engine, pod, other, phase)) == denied);
  }
  configuration.settings.daemon_set_controller = "system:kube-controller-manager";
  CHECK(created(engine_of(configuration), pod, "system:kube-controller-manager").allowed);
  CHECK(codes(created(engine_of(configuration), pod)) == denied);
  configuration.settings.daemon_set_controller.clear();
  CHECK(codes(created(engine_of(configuration), pod, "")) == denied);
}

TEST_CASE("beyond that the pods of a DaemonSet are judged like any other") {
  const Engine engine = engine_of(nothing_allowed());
  struct Case {
    const char* what;
    void (*change)(Pod&);
    std::vector<Code> denied;
  };
  const Case cases[] = {
      {"a toleration of its own",
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "gpu"}); },
       {Code::toleration_not_allowed}},
      {"a toleration for longer",
       [](Pod& pod) { pod.spec.tolerations[0].key.clear(); },
       {Code::toleration_not_allowed}},
      {"a criterion beside the node",
       [](Pod& pod) {
         pod.spec.affinity =
             required({{.match_expressions = {exists("gpu")}, .match_fields = {node_is("a")}}});
       },
       {Code::affinity_not_allowed}},
      {"a term without the node",
       [](Pod& pod) {
         pod.spec.affinity =
             required({{.match_fields = {node_is("a")}}, {.match_expressions = {exists("gpu")}}});
       },
       {Code::affinity_not_allowed}},
      {"two nodes",
       [](Pod& pod) {
         pod.spec.affinity =
             required({{.match_fields = {node_is("a")}}, {.match_fields = {node_is("b")}}});
       },
       {Code::affinity_not_allowed}},
      {"a list of nodes",
       [](Pod& pod) {
         pod.spec.affinity = required({{.match_fields = {node_is("a")}}});
         pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
             ->node_selector_terms[0]
             .match_fields[0]
             .values = {"a", "b"};
       },
       {Code::affinity_not_allowed}},
      {"every node but one",
       [](Pod& pod) {
         NodeSelectorRequirement field = node_is("a");
         field.operator_ = NodeSelectorOperator::not_in;
         pod.spec.affinity = required({{.match_fields = {field}}});
       },
       {Code::affinity_not_allowed}},
      {"another field",
       [](Pod& pod) {
         NodeSelectorRequirement field = node_is("a");
         field.key = "spec.unschedulable";
         pod.spec.affinity = required({{.match_fields = {field}}});
       },
       {Code::affinity_not_allowed}},
      {"other pods and no node",
       [](Pod& pod) {
         PodAffinity near;
         near.required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}};
         pod.spec.affinity = Affinity{.pod_affinity = near};
       },
       {Code::affinity_not_allowed}},
      {"another node besides",
       [](Pod& pod) {
         pod.spec.affinity = required({{.match_fields = {node_is("a"), node_is("b")}}});
       },
       {Code::affinity_not_allowed}},
      {"the node as a label",
       [](Pod& pod) { pod.spec.affinity = required({{.match_expressions = {node_is("a")}}}); },
       {Code::affinity_not_allowed}},
      {"the node among what is preferred",
       [](Pod& pod) {
         pod.spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution = {
             {.weight = 1, .preference = {.match_fields = {node_is("node-1")}}}};
       },
       {Code::affinity_not_allowed}},
      {"a node name",
       [](Pod& pod) { pod.spec.node_name = "node-1"; },
       {Code::node_name_not_allowed}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    Pod pod = daemon_pod();
    c.change(pod);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const Decision decision = created(engine, pod, controller, phase);
      CHECK(codes(decision) == c.denied);
      CHECK(decision.pod == pod);
    }
    CHECK(codes(engine.decide({.operation = Operation::update,
                               .object = pod,
                               .old = Old(daemon_pod()),
                               .requester = {.name = controller}})) == c.denied);
  }
  // A DaemonSet itself is somebody's wish, whoever stores it.
  Pod daemon_set = daemon_pod();
  daemon_set.kind = PodKind::daemon_set;
  daemon_set.metadata.owner_references.clear();
  CHECK(!created(engine, daemon_set).allowed);
}

TEST_CASE("defaults are given beside what the DaemonSet controller adds, and meet requirements") {
  Configuration configuration = nothing_allowed();
  auto& spec = configuration.objects.scheduling_policies[0].spec;
  spec.allowed.scheduler_names = any;
  spec.defaults.tolerations = {{{.toleration = {.key = "spot"}}}};
  spec.defaults.affinity = required({{.match_expressions = {exists("arch")}}});
  const scheduling_policy::NodeAffinityRule has_arch = {
      {{.match_expressions = {{.keys = {"arch"}, .operators = any}}}}};
  spec.required.affinities = scheduling_policy::AffinityRules{
      .node_affinities = scheduling_policy::NodeAffinityRules{
          .required_during_scheduling_ignored_during_execution = has_arch}};
  const Engine engine = engine_of(configuration);
  const Pod pod = daemon_pod();
  const Decision decision = created(engine, pod);
  CHECK(codes(decision).empty());
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.tolerations.size() == 8);
  CHECK(decision.pod.spec.affinity ==
        required({{.match_expressions = {exists("arch")}, .match_fields = {node_is("node-1")}}}));
  const Decision again = created(engine, decision.pod);
  CHECK(again.allowed);
  CHECK(again.pod == decision.pod);
  CHECK(created(engine, decision.pod, controller, Phase::validating).allowed);
  // One node is no answer to a requirement.
  spec.defaults.affinity.reset();
  CHECK(codes(created(engine_of(configuration), pod)) == std::vector{Code::affinity_required});
  // One term of several that has nothing but the node does not have what is required.
  spec.defaults.affinity = required({{.match_expressions = {exists("arch")}}});
  CHECK(codes(created(engine_of(configuration),
                      daemon_pod({{.match_fields = {node_is("node-1")}},
                                  {.match_expressions = {exists("arch")},
                                   .match_fields = {node_is("node-1")}}}))) ==
        std::vector{Code::affinity_required});
}

TEST_CASE("a DaemonSet is warned of required node terms that its pods do not get back") {
  const std::vector<NodeSelectorTerm> arch = {{.match_expressions = {exists("arch")}}};
  const std::vector<NodeSelectorTerm> gpu = {{.match_expressions = {exists("gpu")}}};
  const std::string replaced =
      "`spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution` "
      "of `s`: "
      "the DaemonSet controller replaces it with the name of a node, and the pods will be ";
  const std::string denied = replaced + "denied: it is required, and no default gives it back";
  struct Case {
    const char* what;
    std::vector<NodeSelectorTerm> own;
    bool required;
    std::vector<NodeSelectorTerm> by_default;
    PodKind kind;
    std::string warning;
  };
  const PodKind daemon_set = PodKind::daemon_set;
  const Case cases[] = {
      {"terms that are required", arch, true, {}, daemon_set, denied},
      {"terms that nobody requires", arch, false, {}, daemon_set, ""},
      {"no terms", {}, false, {}, daemon_set, ""},
      {"terms given by default", {}, true, arch, daemon_set, ""},
      {"the terms of the default", arch, true, arch, daemon_set, ""},
      {"other terms than the default's", gpu, false, arch, daemon_set,
       replaced + "given another one by default"},
      {"a Deployment", arch, true, {}, PodKind::deployment, ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    Configuration configuration = nothing_allowed();
    auto& spec = configuration.objects.scheduling_policies[0].spec;
    spec = scheduling_policy::privileged().spec;
    spec.allowed.scheduler_names = {"default-scheduler"};
    if (!c.by_default.empty()) spec.defaults.affinity = required(c.by_default);
    if (c.required)
      spec.required.affinities = scheduling_policy::AffinityRules{
          .node_affinities = scheduling_policy::NodeAffinityRules{
              .required_during_scheduling_ignored_during_execution =
                  scheduling_policy::NodeAffinityRule{
                      {{.match_expressions = {{.keys = {"arch"}, .operators = any}}}}}}};
    const Engine engine = engine_of(configuration);
    Pod object{.kind = c.kind, .metadata = {.name = "agent", .namespace_ = "n"}};
    if (!c.own.empty()) object.spec.affinity = required(c.own);
    const Decision decision = engine.decide({.object = object});
    CHECK(decision.allowed);
    const std::vector<std::string> warnings = warnings_of(decision);
    CHECK(warnings == (c.warning.empty() ? std::vector<std::string>() : std::vector{c.warning}));
    // What is said comes true.
    if (c.kind == daemon_set) CHECK(created(engine, daemon_pod()).allowed == (c.warning != denied));
    // An update too, whatever else was stored before the policy came.
    Pod stored = object;
    stored.spec.affinity.reset();
    object.spec.scheduler_name = stored.spec.scheduler_name = "other";
    const Decision updated =
        engine.decide({.operation = Operation::update, .object = object, .old = Old(stored)});
    CHECK(updated.allowed);
    CHECK(warnings_of(updated) == (c.own.empty() ? std::vector<std::string>() : warnings));
  }
}

TEST_CASE("an update of a DaemonSet's pod by anybody is judged for what it adds") {
  const Engine engine = engine_of(nothing_allowed());
  const Pod old = daemon_pod();
  Pod pod = old;
  pod.metadata.labels = {{"a", "b"}};
  for (const std::string& by : {controller, std::string("admin")}) {
    CHECK(engine
              .decide({.operation = Operation::update,
                       .object = pod,
                       .old = Old(old),
                       .requester = {.name = by}})
              .allowed);
  }
  pod.spec.tolerations.push_back({.key = "gpu"});
  CHECK(!engine
             .decide({.operation = Operation::update,
                      .object = pod,
                      .old = Old(old),
                      .requester = {.name = controller}})
             .allowed);
}

TEST_CASE("what a RuntimeClass adds is exempt beside it") {
  Configuration configuration = nothing_allowed();
  configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = {{.node_selector = {{"sandbox", "yes"}}, .tolerations = {{.key = "kata"}}}}}};
  const Engine engine = engine_of(configuration);
  Pod pod = daemon_pod();
  pod.spec.runtime_class_name = "kata";
  CHECK(codes(created(engine, pod)).empty());
  CHECK(!created(engine, pod, "admin").allowed);
}

TEST_CASE("a default affinity is given beside the node of every term that the controller made") {
  Configuration configuration = nothing_allowed();
  scheduling_policy::SchedulingPolicySpec& spec = configuration.objects.scheduling_policies[0].spec;
  spec.allowed.affinities = any;
  spec.defaults.affinity =
      Affinity{.pod_anti_affinity =
                   PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                   {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}}};
  const Engine engine = engine_of(configuration);
  const NodeSelectorTerm on_node{.match_fields = {node_is("node-1")}};
  NodeSelectorTerm a = on_node;
  a.match_expressions = {exists("a")};
  NodeSelectorTerm b = on_node;
  b.match_expressions = {exists("b")};
  for (const auto& terms : {std::vector{on_node}, std::vector{a, b}}) {
    const Pod pod = daemon_pod(terms);
    const Decision decision = created(engine, pod);
    REQUIRE(decision.allowed);
    Affinity wanted = *pod.spec.affinity;
    wanted.pod_anti_affinity = spec.defaults.affinity->pod_anti_affinity;
    CHECK(decision.pod.spec.affinity == wanted);
  }
}

TEST_CASE("what the controller made stays as it is where nothing is given") {
  Configuration configuration = nothing_allowed();
  configuration.objects.scheduling_policies[0].spec.allowed.affinities = any;
  const Engine engine = engine_of(configuration);
  const NodeSelectorTerm on_node{.match_fields = {node_is("node-1")}};
  NodeSelectorTerm among_others = on_node;
  among_others.match_fields.push_back(
      {.key = "metadata.name", .operator_ = NodeSelectorOperator::not_in, .values = {"node-2"}});
  Pod beside_pods = daemon_pod({on_node, on_node});
  beside_pods.spec.affinity->pod_anti_affinity = PodAffinity{
      .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}}};
  for (const Pod& pod : {daemon_pod({among_others}), beside_pods}) {
    const Decision decision = created(engine, pod);
    CHECK(decision.allowed);
    CHECK(decision.pod == pod);
  }
}

TEST_CASE("a pod that the controller pins to no node is judged like any other") {
  const Engine engine = engine_of(nothing_allowed());
  Pod pod = daemon_pod();
  pod.spec.affinity.reset();
  CHECK(created(engine, pod).pod == pod);
  CHECK(codes(created(engine, pod)).empty());
  pod.spec.affinity.emplace();
  CHECK(codes(created(engine, pod)).empty());
  pod.spec.node_selector = {{"disk", "ssd"}};
  CHECK(codes(created(engine, pod)) == std::vector{Code::node_selector_not_allowed});
}

TEST_CASE("a mirror pod that a node writes runs already") {
  const Engine engine = engine_of(nothing_allowed());
  Pod mirror{.metadata = {.name = "etcd-a",
                          .namespace_ = "n",
                          .annotations = {{"kubernetes.io/config.mirror", "0a1b"}}}};
  mirror.spec.node_name = "a";
  mirror.spec.tolerations = {{.operator_ = TolerationOperator::exists}};
  const rbac::User node{.name = "system:node:a",
                        .groups = {"system:nodes", "system:authenticated"}};
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const Decision decision = engine.decide({.object = mirror, .requester = node, .phase = phase});
    CHECK(decision.allowed);
    CHECK(decision.pod == mirror);
    CHECK(decision.steps.empty());
    CHECK(engine
              .decide({.operation = Operation::update,
                       .object = mirror,
                       .old = Old(Pod{}),
                       .requester = node,
                       .phase = phase})
              .allowed);
    CHECK(!engine.decide({.object = mirror, .phase = phase}).allowed);
    CHECK(!engine.decide({.object = mirror, .requester = {.name = "system:nodes"}, .phase = phase})
               .allowed);
    Pod other = mirror;
    other.metadata.annotations.clear();
    CHECK(!engine.decide({.object = other, .requester = node, .phase = phase}).allowed);
    other = mirror;
    other.kind = PodKind::deployment;
    CHECK(!engine.decide({.object = other, .requester = node, .phase = phase}).allowed);
  }
  // An engine of nothing lets nothing pass.
  CHECK(!Engine().decide({.object = mirror, .requester = node}).allowed);
}

}  // namespace requesters_test
