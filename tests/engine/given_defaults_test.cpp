// SPDX-License-Identifier: Apache-2.0
// "As a developer I want to select a Windows runtime without worrying about scheduling
// constraints": no default of a SchedulingPolicy contradicts what the pod has, its RuntimeClass
// adds or a ClusterPodSchedulingPolicy injects, and each concern is enforced beside the others.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/core/node.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace given_defaults_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::Step;
using engine::System;
using pod_scheduling_policy::PodSchedulingPolicy;
using pod_scheduling_policy::PolicyKind;
using Code = ViolationCode;
using Terms = std::vector<NodeSelectorTerm>;

constexpr auto exists = TolerationOperator::exists;
constexpr auto no_execute = TaintEffect::no_execute;

NodeSelectorRequirement in(std::string key, std::string value) {
  return {std::move(key), NodeSelectorOperator::in, {std::move(value)}};
}
Affinity required_node(Terms terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}

PodSchedulingPolicy of_cluster(std::string name) {
  return {.kind = PolicyKind::cluster_pod_scheduling_policy,
          .metadata = {.name = std::move(name)},
          .spec = {.namespace_selector = LabelSelector{}, .pod_selector = LabelSelector{}}};
}

Configuration configuration(std::vector<System> order) {
  Configuration made;
  made.settings.policy_use = PolicyUse::every;
  made.settings.options = engine::admission_options({});
  for (const System system : order) made.systems.push_back({system});
  made.objects.namespaces = {{{.name = "n"}}};
  return made;
}

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

Pod pod_in_n(PodKind kind = PodKind::pod) {
  return {.kind = kind, .metadata = {.name = "p", .namespace_ = "n"}};
}
/// A pod of a template.
Pod make_pod(Pod of_template) {
  of_template.kind = PodKind::pod;
  return of_template;
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps)
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  return all;
}
std::vector<std::string> warnings(const Decision& decision) {
  std::vector<std::string> all;
  for (const auto& said : decision.steps)
    for (const Warning& warning : said.warnings) all.push_back(message(warning));
  for (const Warning& warning : decision.warnings) all.push_back(message(warning));
  return all;
}
Terms required_terms(const Pod& pod) {
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return {};
  const auto& required =
      pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  return required ? required->node_selector_terms : Terms{};
}

/// The answer to what the answer makes is "allowed, unchanged", in either phase.
void check_again(const Engine& engine, const Decision& decision) {
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const Decision again = engine.decide({.object = decision.pod, .phase = phase});
    CHECK(codes(again) == std::vector<Code>{});
    CHECK(again.allowed);
    CHECK(again.pod == decision.pod);
  }
}

const std::string os = "beta.kubernetes.io/os";
const std::string arch = "beta.kubernetes.io/arch";

/// The class of the document's Windows story, `restricted-multiarch-by-affinity` as the document
/// prints it, and a pool that a ClusterPodSchedulingPolicy gives to everybody.
Configuration windows(std::vector<System> order) {
  Configuration made = configuration(std::move(order));
  made.objects.runtime_classes = {
      {.metadata = {.name = "windows"},
       .handler = "runhcs",
       .scheduling = {{.node_selector = {{os, "Windows"}},
                       .tolerations = {{.key = "windows.microsoft.com", .operator_ = exists}}}}}};
  made.objects.scheduling_policies = {scheduling_policy::restricted_multiarch_by_affinity(
      scheduling_policy::PlatformLabels::proposal)};
  PodSchedulingPolicy pool = of_cluster("pool");
  pool.spec.affinity = required_node({{.match_expressions = {in("pool", "etcd")}}});
  made.objects.pod_scheduling_policies = {pool};
  return made;
}

TEST_CASE("select a Windows runtime without worrying about scheduling constraints") {
  const Node node{
      .metadata = {.name = "w", .labels = {{os, "Windows"}, {arch, "amd64"}, {"pool", "etcd"}}}};
  std::vector<System> order = {System::runtime_class, System::pod_scheduling_policy,
                               System::scheduling_policy};
  std::sort(order.begin(), order.end());
  do {
    const auto place = [&](System system) {
      return std::find(order.begin(), order.end(), system) - order.begin();
    };
    CAPTURE(place(System::runtime_class));
    CAPTURE(place(System::scheduling_policy));
    const Configuration made = windows(order);
    const Engine engine = engine_of(made);
    // A requirement looks at the pod as it stands: before its class it has no operating system.
    const bool is_whole = place(System::runtime_class) < place(System::scheduling_policy);
    const auto found = analyze(made);
    const bool is_too_early =
        std::any_of(found.begin(), found.end(), [](const engine::SystemFinding& each) {
          return each.finding.code == FindingCode::decides_too_early;
        });
    const auto first = place(System::scheduling_policy);
    CHECK(is_too_early == (first < 2));
    for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
      CAPTURE(to_string(kind));
      Pod pod = pod_in_n(kind);
      pod.spec.runtime_class_name = "windows";
      const Decision decision = engine.decide({.object = pod});
      if (kind == PodKind::pod && !is_whole) {
        CHECK(codes(decision) == std::vector{Code::affinity_required});
        continue;
      }
      REQUIRE(codes(decision) == std::vector<Code>{});
      REQUIRE(decision.allowed);
      check_again(engine, decision);
      CHECK(required_terms(decision.pod).size() == 1);
      const std::string path = kind == PodKind::pod ? "spec" : "spec.template.spec";
      CHECK(warnings(decision) ==
            std::vector<std::string>{
                "`" + path +
                ".affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution` of "
                "`restricted-multiarch-by-affinity`: no node meets the pod's "
                "`beta.kubernetes.io/os In [Windows]` and the policy's `beta.kubernetes.io/os In "
                "[Linux]`"});
      // The API server does what the class says before it asks.
      const Pod asked =
          runtime_class::admit(make_pod(decision.pod), made.objects.runtime_classes).pod;
      const Decision of_pod = engine.decide({.object = asked});
      REQUIRE(of_pod.allowed);
      CHECK(NodeAffinityMatcher(of_pod.pod.spec).matches(node));
      CHECK(of_pod.pod.spec.node_selector == Labels{{os, "Windows"}});
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("without a class, or with a Linux one, the default is given as before") {
  Configuration made = windows({System::runtime_class, System::scheduling_policy});
  made.objects.runtime_classes[0].scheduling->node_selector = {{os, "Linux"}};
  const Engine engine = engine_of(made);
  for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
    for (const char* runtime_class : {"", "windows"}) {
      CAPTURE(runtime_class);
      Pod pod = pod_in_n(kind);
      pod.spec.runtime_class_name = runtime_class;
      const Decision decision = engine.decide({.object = pod});
      REQUIRE(decision.allowed);
      CHECK(required_terms(decision.pod) ==
            Terms{{.match_expressions = {in(arch, "amd64"), in(os, "Linux")}}});
      CHECK(warnings(decision).empty());
      check_again(engine, decision);
    }
  }
}

/// What a default gives, beside what the pod and the cluster ask of nodes.
struct Case {
  const char* name;
  Labels own_pairs;
  Labels class_pairs;  ///< of the pod's class
  Labels cluster_pairs;
  Terms cluster_terms;
  Labels given_pairs;
  Terms given_terms;
  Labels wanted_pairs;  ///< of a template, to which the class adds nothing
  Terms wanted_terms;
  std::size_t warnings;
};

NodeSelectorTerm all_of(std::vector<NodeSelectorRequirement> expressions) {
  return {.match_expressions = std::move(expressions)};
}

TEST_CASE("no default contradicts what the pod has, its class or a cluster policy adds") {
  const Case cases[] = {
      {"a pair of the default beside a required term of a cluster policy",
       {},
       {},
       {},
       {all_of({in("pool", "etcd")})},
       {{"pool", "web"}, {"zone", "a"}},
       {},
       {{"zone", "a"}},
       {all_of({in("pool", "etcd")})},
       1},
      {"one that the term allows",
       {},
       {},
       {},
       {all_of({in("pool", "etcd")})},
       {{"pool", "etcd"}},
       {},
       {{"pool", "etcd"}},
       {all_of({in("pool", "etcd")})},
       0},
      {"one that one of two terms allows",
       {},
       {},
       {},
       {all_of({in("pool", "etcd")}), all_of({in("pool", "web")})},
       {{"pool", "web"}},
       {},
       {{"pool", "web"}},
       {all_of({in("pool", "etcd")}), all_of({in("pool", "web")})},
       0},
      {"two of which each is allowed by another term",
       {},
       {},
       {},
       {all_of({in("pool", "web"), in("zone", "a")}), all_of({in("pool", "etcd")})},
       {{"pool", "etcd"}, {"zone", "b"}},
       {},
       {{"pool", "etcd"}, {"zone", "b"}},
       {all_of({in("pool", "web"), in("zone", "a")}), all_of({in("pool", "etcd")})},
       0},
      {"a number that is too small",
       {},
       {},
       {},
       {all_of({{"cores", NodeSelectorOperator::gt, {"8"}}})},
       {{"cores", "4"}},
       {},
       {},
       {all_of({{"cores", NodeSelectorOperator::gt, {"8"}}})},
       1},
      {"an expression that the class excludes, the rest is given",
       {},
       {{"os", "windows"}},
       {},
       {},
       {},
       {all_of({in("arch", "amd64"), in("os", "linux")})},
       {},
       {all_of({in("arch", "amd64")})},
       1},
      {"one of a term that the pod's own pair excludes",
       {{"os", "windows"}},
       {},
       {},
       {},
       {},
       {all_of({in("os", "linux")}), all_of({in("arch", "amd64")})},
       {{"os", "windows"}},
       {all_of({in("arch", "amd64")})},
       1},
      {"all of it: none is given",
       {},
       {},
       {{"os", "windows"}},
       {},
       {},
       {all_of({in("os", "linux")})},
       {{"os", "windows"}},
       {},
       1},
      {"a pair of the default itself excludes one: the pair comes first",
       {},
       {},
       {},
       {},
       {{"os", "windows"}},
       {all_of({in("os", "linux"), in("arch", "amd64")})},
       {{"os", "windows"}},
       {all_of({in("arch", "amd64")})},
       1},
      {"an expression beside the terms of a cluster policy, to which the rest is added",
       {},
       {},
       {},
       {all_of({in("pool", "etcd")})},
       {},
       {all_of({in("pool", "web"), in("arch", "amd64")})},
       {},
       {all_of({in("arch", "amd64"), in("pool", "etcd")})},
       1},
      {"a term that one of two terms can be met with",
       {},
       {},
       {},
       {all_of({in("pool", "etcd")}), all_of({in("pool", "web")})},
       {},
       {all_of({in("pool", "web"), in("arch", "amd64")})},
       {},
       {all_of({in("pool", "web"), in("arch", "amd64")})},
       0},
      {"expressions that can be met each by itself, but not together",
       {},
       {},
       {},
       {all_of({in("pool", "etcd"), in("zone", "a")}),
        all_of({in("pool", "web"), in("zone", "b")})},
       {},
       {all_of({in("pool", "etcd"), in("zone", "b")})},
       {},
       {all_of({in("pool", "etcd"), in("zone", "a")}),
        all_of({in("pool", "web"), in("zone", "b")})},
       1},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    Configuration made = configuration(
        {System::runtime_class, System::pod_scheduling_policy, System::scheduling_policy});
    made.objects.runtime_classes = {
        {.metadata = {.name = "class"},
         .handler = "class",
         .scheduling = runtime_class::Scheduling{.node_selector = each.class_pairs}}};
    PodSchedulingPolicy pool = of_cluster("pool");
    pool.spec.node_selector = each.cluster_pairs;
    if (!each.cluster_terms.empty()) pool.spec.affinity = required_node(each.cluster_terms);
    made.objects.pod_scheduling_policies = {pool};
    scheduling_policy::SchedulingPolicySpec spec{
        .allowed = {.scheduler_names = any, .node_selectors = any}};
    spec.defaults.node_selector = each.given_pairs;
    if (!each.given_terms.empty()) spec.defaults.affinity = required_node(each.given_terms);
    made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
    for (const bool is_first : {false, true}) {
      CAPTURE(is_first);
      if (is_first)
        made.systems = {
            {System::scheduling_policy}, {System::runtime_class}, {System::pod_scheduling_policy}};
      const Engine engine = engine_of(made);
      for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
        CAPTURE(to_string(kind));
        Pod pod = pod_in_n(kind);
        pod.spec.runtime_class_name = "class";
        pod.spec.node_selector = each.own_pairs;
        const Decision decision = engine.decide({.object = pod});
        REQUIRE(codes(decision) == std::vector<Code>{});
        Labels wanted = each.wanted_pairs;
        if (kind == PodKind::pod) wanted.insert(each.class_pairs.begin(), each.class_pairs.end());
        CHECK(decision.pod.spec.node_selector == wanted);
        // A policy that comes after a pair was given leaves out those of its terms that contradict
        // that, and adds its expressions before what is there.
        if (!is_first) {
          CHECK(required_terms(decision.pod) == each.wanted_terms);
          CHECK(warnings(decision).size() == each.warnings);
        }
        check_again(engine, decision);
        const Decision of_pod = engine.decide({.object = make_pod(decision.pod)});
        CHECK(of_pod.allowed);
        CHECK(of_pod.pod.spec.affinity == decision.pod.spec.affinity);
      }
    }
  }
}

TEST_CASE("what the cluster's policies inject does not keep a default of affinity away") {
  PodSchedulingPolicy pool = of_cluster("pool");
  const PodAffinityTerm zone{.label_selector = LabelSelector{}, .topology_key = "zone"};
  const PodAffinityTerm host{.label_selector = LabelSelector{}, .topology_key = "host"};
  const auto affinity = [](Terms terms, const char* preferred, const PodAffinityTerm& beside) {
    Affinity made = required_node(std::move(terms));
    made.node_affinity->preferred_during_scheduling_ignored_during_execution = {
        {.weight = 5, .preference = all_of({in("disk", preferred)})}};
    made.pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution = {beside},
                                    .preferred_during_scheduling_ignored_during_execution = {
                                        {.weight = 7, .pod_affinity_term = beside}}};
    return made;
  };
  pool.spec.affinity =
      affinity({all_of({in("pool", "etcd")}), all_of({in("pool", "web")})}, "ssd", zone);
  Configuration made = configuration({System::pod_scheduling_policy, System::scheduling_policy});
  made.objects.pod_scheduling_policies = {pool};
  scheduling_policy::SchedulingPolicySpec spec =
      scheduling_policy::restricted_multiarch_by_affinity().spec;
  spec.defaults.affinity = affinity(
      {all_of({in("kubernetes.io/arch", "amd64")}), all_of({in("kubernetes.io/os", "linux")})},
      "hdd", host);
  made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
  for (const bool is_first : {false, true}) {
    CAPTURE(is_first);
    if (is_first) std::swap(made.systems[0], made.systems[1]);
    const Engine engine = engine_of(made);
    for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
      const Decision decision = engine.decide({.object = pod_in_n(kind)});
      REQUIRE(codes(decision) == std::vector<Code>{});
      CHECK(warnings(decision).empty());
      check_again(engine, decision);
      const Affinity& has = *decision.pod.spec.affinity;
      const Terms terms = required_terms(decision.pod);
      REQUIRE(terms.size() == 2);
      for (const NodeSelectorTerm& term : terms) CHECK(term.match_expressions.size() == 3);
      CHECK(has.node_affinity->preferred_during_scheduling_ignored_during_execution.size() == 2);
      CHECK(has.pod_affinity->required_during_scheduling_ignored_during_execution.size() == 2);
      CHECK(has.pod_affinity->preferred_during_scheduling_ignored_during_execution.size() == 2);
      if (is_first) continue;
      CHECK(terms[0].match_expressions == std::vector{in("kubernetes.io/arch", "amd64"),
                                                      in("kubernetes.io/os", "linux"),
                                                      in("pool", "etcd")});
    }
  }
}

TEST_CASE("what the pod's author wrote does keep it away, whatever the cluster adds") {
  Configuration made = windows({System::pod_scheduling_policy, System::scheduling_policy});
  const Engine engine = engine_of(made);
  Pod pod = pod_in_n();
  pod.spec.affinity = required_node({all_of({in(arch, "arm64"), in(os, "Linux")})});
  const Decision decision = engine.decide({.object = pod});
  REQUIRE(decision.allowed);
  CHECK(required_terms(decision.pod) ==
        Terms{all_of({in("pool", "etcd"), in(arch, "arm64"), in(os, "Linux")})});
}

TEST_CASE("a required pod affinity of a default is left out beside the opposite that the pod has") {
  const PodAffinityTerm web{.label_selector = LabelSelector{.match_labels = {{"app", "web"}}},
                            .topology_key = "zone"};
  const PodAffinity one{.required_during_scheduling_ignored_during_execution = {web}};
  PodAffinity two = one;
  two.required_during_scheduling_ignored_during_execution.push_back(
      {.label_selector = LabelSelector{}, .topology_key = "host"});
  for (const bool is_of_cluster : {false, true}) {
    Configuration made = configuration({System::pod_scheduling_policy, System::scheduling_policy});
    scheduling_policy::SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
    spec.allowed.affinities = scheduling_policy::AffinityRules{.pod_anti_affinities = any};
    spec.defaults.affinity = Affinity{.pod_affinity = two};
    made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
    PodSchedulingPolicy apart = of_cluster("apart");
    apart.spec.affinity = Affinity{.pod_anti_affinity = one};
    if (is_of_cluster) made.objects.pod_scheduling_policies = {apart};
    for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
      Pod pod = pod_in_n(kind);
      if (!is_of_cluster) pod.spec.affinity = Affinity{.pod_anti_affinity = one};
      const Engine engine = engine_of(made);
      const Decision decision = engine.decide({.object = pod});
      REQUIRE(codes(decision) == std::vector<Code>{});
      CHECK(decision.pod.spec.affinity->pod_affinity
                ->required_during_scheduling_ignored_during_execution ==
            std::vector{two.required_during_scheduling_ignored_during_execution[1]});
      CHECK(warnings(decision).size() == 1);
      check_again(engine, decision);
    }
  }
}

// ---- tolerations

Toleration not_ready(std::optional<std::int64_t> seconds) {
  return {"node.kubernetes.io/not-ready", exists, "", no_execute, seconds};
}
Toleration unreachable(std::optional<std::int64_t> seconds) {
  return {"node.kubernetes.io/unreachable", exists, "", no_execute, seconds};
}

TEST_CASE("a default toleration takes the place of the API server's, and of nobody else's") {
  struct Case {
    const char* name;
    std::vector<Toleration> had;
    std::vector<Toleration> of_class;
    std::vector<Toleration> of_policy;  ///< of the cluster
    std::vector<Toleration> wanted;     ///< of a pod
    std::size_t warnings;
  };
  const Case cases[] = {
      {"the API server's",
       {not_ready(300), unreachable(300)},
       {},
       {},
       {not_ready(10), unreachable(300)},
       0},
      {"none there yet", {}, {}, {}, {not_ready(10)}, 0},
      {"that of a class", {}, {not_ready(20)}, {}, {not_ready(20)}, 1},
      {"that of a class that is the same as the API server's",
       {not_ready(300)},
       {not_ready(300)},
       {},
       {not_ready(300)},
       1},
      {"that of a cluster policy, which takes the API server's place itself",
       {not_ready(300), unreachable(300)},
       {},
       {not_ready(20)},
       {not_ready(20), unreachable(300)},
       1},
      {"one of a cluster policy about something else",
       {not_ready(300)},
       {},
       {unreachable(20)},
       {not_ready(10), unreachable(20)},
       0},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    for (const bool is_first : {false, true}) {
      CAPTURE(is_first);
      Configuration made = configuration(
          {System::runtime_class, System::pod_scheduling_policy, System::scheduling_policy});
      if (is_first) std::reverse(made.systems.begin(), made.systems.end());
      made.objects.runtime_classes = {
          {.metadata = {.name = "class"},
           .handler = "class",
           .scheduling = runtime_class::Scheduling{.tolerations = each.of_class}}};
      PodSchedulingPolicy spot = of_cluster("spot");
      spot.spec.tolerations = each.of_policy;
      made.objects.pod_scheduling_policies = {spot};
      scheduling_policy::SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
      spec.defaults.tolerations = {{{.toleration = not_ready(10)}}};
      made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
      const Engine engine = engine_of(made);
      for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
        CAPTURE(to_string(kind));
        Pod pod = pod_in_n(kind);
        pod.spec.runtime_class_name = "class";
        pod.spec.tolerations = each.had;
        const Decision decision = engine.decide({.object = pod});
        REQUIRE(codes(decision) == std::vector<Code>{});
        CHECK(warnings(decision).size() == each.warnings);
        check_again(engine, decision);
        const Decision of_pod = engine.decide({.object = make_pod(decision.pod)});
        REQUIRE(of_pod.allowed);
        auto sorted = [](std::vector<Toleration> list) {
          std::sort(list.begin(), list.end(), [](const Toleration& a, const Toleration& b) {
            return to_string(a) < to_string(b);
          });
          return list;
        };
        CHECK(sorted(of_pod.pod.spec.tolerations) == sorted(each.wanted));
      }
    }
  }
}

TEST_CASE("a pod of a DaemonSet tolerates for ever, and its default is without effect") {
  Configuration made = configuration({System::scheduling_policy});
  scheduling_policy::SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
  spec.defaults.tolerations = {{{.toleration = not_ready(10)}}};
  made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
  Pod pod = pod_in_n();
  pod.spec.tolerations = scheduling_policy::daemon_set_tolerations();
  const Decision decision = engine_of(made).decide(
      {.object = pod,
       .requester = {.name = "system:serviceaccount:kube-system:daemon-set-controller"}});
  REQUIRE(decision.allowed);
  CHECK(decision.pod == pod);
  CHECK(warnings(decision).size() == 1);
}

TEST_CASE("an update that the API server fills in keeps the toleration that the pod was given") {
  Configuration made = configuration({System::scheduling_policy});
  scheduling_policy::SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
  spec.defaults.tolerations = {{{.toleration = not_ready(10)}}};
  made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
  const Engine engine = engine_of(made);
  Pod pod = pod_in_n();
  pod.spec.tolerations = {not_ready(300), unreachable(300)};
  const Decision created = engine.decide({.object = pod});
  const Decision replaced =
      engine.decide({.operation = Operation::update, .object = pod, .old = Old(created.pod)});
  REQUIRE(replaced.allowed);
  CHECK(replaced.pod == created.pod);
}

}  // namespace given_defaults_test
