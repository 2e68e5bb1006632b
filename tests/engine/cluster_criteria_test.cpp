// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "cluster_criteria.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cluster_criteria_test {

using namespace cluster_criteria_cases;

using engine::Operation;
using engine::Phase;
using Code = ViolationCode;

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps)
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  return all;
}

std::vector<Code> codes_of_last(const Decision& decision) {
  std::vector<Code> all;
  for (const Violation& violation : decision.steps.back().violations) all.push_back(violation.code);
  return all;
}

TEST_CASE(
    "how and where the workload is scheduled is enforced orthogonally to who may ask for it") {
  const Engine engine = engine_of(configuration());
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    const Decision decision = engine.decide({.object = etcd(kind)});
    REQUIRE(decision.allowed);
    CHECK(decision.pod.spec.scheduler_name == "etcd-scheduler");
    CHECK(decision.pod.spec.tolerations.size() == 1);
    CHECK(decision.pod.spec.affinity);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const Decision again = engine.decide({.object = decision.pod, .phase = phase});
      CHECK(again.allowed);
      CHECK(again.pod == decision.pod);
      CHECK(engine
                .decide({.operation = Operation::update,
                         .object = decision.pod,
                         .old = Old(etcd(kind)),
                         .template_differs = true,
                         .phase = phase})
                .allowed);
    }
  }
}

TEST_CASE("an item is the cluster's only where it equals one of theirs and the pod is selected") {
  const Engine engine = engine_of(configuration());
  struct Case {
    std::string_view name;
    void (*change)(Pod&);
    std::vector<Code> denied;
  };
  const Case cases[] = {
      {"its own toleration beside it",
       [](Pod& pod) { pod.spec.tolerations = {{.key = "gpu"}}; },
       {Code::toleration_not_allowed}},
      {"the same toleration",
       [](Pod& pod) { pod.spec.tolerations = etcd_pool().spec.tolerations; },
       {}},
      {"the same toleration for a while",
       [](Pod& pod) {
         pod.spec.tolerations = etcd_pool().spec.tolerations;
         pod.spec.tolerations[0].effect = TaintEffect::no_execute;
         pod.spec.tolerations[0].toleration_seconds = 5;
       },
       {Code::toleration_not_allowed}},
      {"another scheduler",
       [](Pod& pod) { pod.spec.scheduler_name = "mine"; },
       {Code::scheduler_name_not_allowed}},
      {"a node selector of its own",
       [](Pod& pod) {
         pod.spec.node_selector = {{"disk", "ssd"}};
       },
       {Code::node_selector_not_allowed}},
      {"an expression of its own beside theirs",
       [](Pod& pod) {
         pod.spec.affinity = required_node({in("pool", "etcd"), in("zone", "a")});
       },
       {Code::affinity_not_allowed}},
      {"their expression",
       [](Pod& pod) { pod.spec.affinity = required_node({in("pool", "etcd")}); },
       {}},
      {"another value",
       [](Pod& pod) { pod.spec.affinity = required_node({in("pool", "web")}); },
       {Code::affinity_not_allowed}},
      {"without the label all of it is its own",
       [](Pod& pod) {
         pod.metadata.labels.clear();
         pod.spec.scheduler_name = "etcd-scheduler";
         pod.spec.tolerations = etcd_pool().spec.tolerations;
       },
       {Code::scheduler_name_not_allowed, Code::toleration_not_allowed}},
  };
  for (const Case& each : cases) {
    CAPTURE(each.name);
    Pod pod = etcd();
    each.change(pod);
    const Decision decision = engine.decide({.object = pod});
    CHECK(codes(decision) == each.denied);
    CHECK(decision.allowed == each.denied.empty());
    const Decision final = engine.decide({.object = pod, .phase = Phase::validating});
    CHECK(codes(final) == each.denied);
  }
}

TEST_CASE("a policy of a namespace permits nothing") {
  // Whoever may write one there could otherwise permit himself anything.
  const Engine engine = engine_of(configuration(etcd_pool(PolicyKind::pod_scheduling_policy)));
  const Decision decision = engine.decide({.object = etcd()});
  CHECK(!decision.allowed);
  CHECK(decision.pod == etcd());
}

TEST_CASE(
    "a policy permits nothing in a namespace that is not known and whose labels it asks for") {
  PodSchedulingPolicy pool = etcd_pool();
  pool.spec.namespace_selector = LabelSelector{
      .match_expressions = {{.key = "tenant", .operator_ = LabelSelectorOperator::does_not_exist}}};
  Configuration configured = configuration(std::move(pool));
  Pod pod = etcd();
  pod.spec.tolerations = etcd_pool().spec.tolerations;
  const auto codes_of = [&](const std::vector<Namespace>& known, engine::Request request) {
    configured.objects.namespaces = known;
    request.object = pod;
    return codes(engine_of(configured).decide(request));
  };
  const engine::Request created = {.phase = Phase::validating};
  const engine::Request updated = {.operation = Operation::update, .old = Old(etcd())};
  const engine::Request judged = {
      .operation = Operation::update, .old = Old(etcd()), .phase = Phase::validating};
  for (const engine::Request& request : {created, updated, judged}) {
    CHECK(codes_of({{{.name = "n"}}}, request).empty());
    CHECK(codes_of({{{.name = "n", .labels = {{"tenant", "a"}}}}}, request) ==
          std::vector{Code::toleration_not_allowed});
    CHECK(codes_of({}, request) == std::vector{Code::toleration_not_allowed});
  }
}

TEST_CASE(
    "a class and a policy of the cluster permit what they give only where their system enforces") {
  Configuration made = configuration();
  made.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{
           .node_selector = {{"sandbox", "yes"}},
           .tolerations = {{.key = "kata", .operator_ = TolerationOperator::exists}}}}};
  Pod of_policy = etcd();
  of_policy.spec.tolerations = etcd_pool().spec.tolerations;
  Pod of_class{.metadata = {.name = "p", .namespace_ = "n"}};
  of_class.spec.runtime_class_name = "kata";
  of_class.spec.node_selector = {{"sandbox", "yes"}};
  of_class.spec.tolerations = made.objects.runtime_classes[0].scheduling->tolerations;
  using Codes = std::vector<Code>;
  const Codes tolerates = {Code::toleration_not_allowed};
  const Codes selects = {Code::node_selector_not_allowed, Code::toleration_not_allowed};
  // The modes of RuntimeClass and PodSchedulingPolicy; absent where the system is not run.
  using Modes = std::optional<Mode>;
  struct Case {
    Modes of_classes;
    Modes of_policies;
    Codes class_denied;
    Codes policy_denied;
  };
  const Case cases[] = {
      {Mode::enforce, Mode::enforce, {}, {}},     {Mode::warn, Mode::enforce, selects, {}},
      {Mode::audit, Mode::enforce, selects, {}},  {{}, Mode::enforce, selects, {}},
      {Mode::enforce, Mode::warn, {}, tolerates}, {Mode::enforce, Mode::audit, {}, tolerates},
      {Mode::enforce, {}, {}, tolerates},         {{}, {}, selects, tolerates},
  };
  for (const auto& [of_classes, of_policies, class_denied, policy_denied] : cases) {
    made.systems.clear();
    if (of_classes) made.systems.push_back({System::runtime_class, *of_classes});
    if (of_policies) made.systems.push_back({System::pod_scheduling_policy, *of_policies});
    made.systems.push_back({System::scheduling_policy});
    const Engine engine = engine_of(made);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const auto denied = [&](const Pod& pod) {
        const Decision decision = engine.decide({.object = pod, .phase = phase});
        return decision.allowed ? Codes() : codes_of_last(decision);
      };
      CHECK(denied(of_class) == class_denied);
      CHECK(denied(of_policy) == policy_denied);
    }
  }
}

TEST_CASE("a requirement looks at the pod as it stands, whoever wrote what it asks for") {
  Configuration made = configuration();
  auto& required = made.objects.scheduling_policies[0].spec.required;
  required.scheduler_names = {"etcd-scheduler"};
  required.node_selectors = {{"disk", {"nvme", "ssd"}}};
  CHECK(engine_of(made).decide({.object = etcd()}).allowed);
  required.node_selectors = {{"disk", {"ssd"}}};
  CHECK(codes(engine_of(made).decide({.object = etcd()})) ==
        std::vector{Code::node_selector_required});
}

// "Select a Windows runtime without worrying about scheduling constraints."
Configuration windows() {
  Configuration made;
  made.settings.policy_use = PolicyUse::every;
  made.systems = {{System::runtime_class}, {System::scheduling_policy}};
  made.objects.runtime_classes = {
      {.metadata = {.name = "windows"},
       .handler = "windows",
       .scheduling = {
           {.node_selector = {{"kubernetes.io/os", "windows"}},
            .tolerations = {{.key = "windows", .operator_ = TolerationOperator::exists}}}}}};
  made.objects.scheduling_policies = {
      {.metadata = {.name = "os"},
       .spec = {.required = {.node_selectors = {{"kubernetes.io/os", {"linux", "windows"}}}},
                .allowed = {.scheduler_names = any},
                .defaults = {.node_selector = Labels{{"kubernetes.io/os", "linux"}}}}}};
  return made;
}

TEST_CASE("a RuntimeClass is compatible with a policy that requires what the class adds") {
  const Engine engine = engine_of(windows());
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    Pod pod{.kind = kind, .metadata = {.name = "p", .namespace_ = "n"}};
    CHECK(engine.decide({.object = pod}).pod.spec.node_selector ==
          Labels{{"kubernetes.io/os", "linux"}});
    pod.spec.runtime_class_name = "windows";
    const Decision decision = engine.decide({.object = pod});
    REQUIRE(decision.allowed);
    // The class adds to pods; the default that would contradict it is given to neither.
    CHECK(decision.pod.spec.node_selector ==
          (kind == PodKind::pod ? Labels{{"kubernetes.io/os", "windows"}} : Labels{}));
    CHECK(engine.decide({.object = decision.pod, .phase = Phase::validating}).allowed);
    // What a template becomes as a pod is allowed, too.
    Pod made = decision.pod;
    made.kind = PodKind::pod;
    CHECK(engine.decide({.object = made}).allowed);
  }
}

TEST_CASE("nothing is injected into a template that contradicts what its class adds to the pods") {
  Configuration made = windows();
  made.systems = {{System::runtime_class}, {System::pod_scheduling_policy}};
  NodeAffinity linux_or_ssd;
  linux_or_ssd.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = {{.key = "kubernetes.io/os",
                               .operator_ = NodeSelectorOperator::in,
                               .values = {"linux"}}}},
       {.match_expressions = {
            {.key = "disk", .operator_ = NodeSelectorOperator::in, .values = {"ssd"}}}}}};
  made.objects.pod_scheduling_policies = {
      {.metadata = {.name = "linux", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .node_selector = {{"kubernetes.io/os", "linux"}, {"pool", "shared"}},
                .affinity = Affinity{.node_affinity = linux_or_ssd}}}};
  const Engine engine = engine_of(made);
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    Pod pod{.kind = kind, .metadata = {.name = "p", .namespace_ = "n"}};
    CHECK(engine.decide({.object = pod}).pod.spec.node_selector ==
          Labels{{"kubernetes.io/os", "linux"}, {"pool", "shared"}});
    pod.spec.runtime_class_name = "windows";
    const Decision decision = engine.decide({.object = pod});
    REQUIRE(decision.allowed);
    CHECK(decision.pod.spec.node_selector ==
          (kind == PodKind::pod ? Labels{{"kubernetes.io/os", "windows"}, {"pool", "shared"}}
                                : Labels{{"pool", "shared"}}));
    // The term that no node can meet which the class wants is left out.
    REQUIRE(decision.pod.spec.affinity);
    CHECK(decision.pod.spec.affinity->node_affinity
              ->required_during_scheduling_ignored_during_execution->node_selector_terms.size() ==
          1);
    // What a template becomes as a pod is allowed, and gets what the class adds alone.
    Pod of_template = decision.pod;
    of_template.kind = PodKind::pod;
    const Decision as_pod = engine.decide({.object = of_template});
    REQUIRE(as_pod.allowed);
    CHECK(as_pod.pod.spec.node_selector ==
          Labels{{"kubernetes.io/os", "windows"}, {"pool", "shared"}});
    CHECK(as_pod.pod.spec.affinity == decision.pod.spec.affinity);
  }
}

TEST_CASE("of what a class adds to the pods a template keeps what it has itself alone") {
  Configuration made = windows();
  made.systems = {{System::pod_scheduling_policy}};  // one round
  made.objects.runtime_classes[0].scheduling->node_selector = {{"a", "1"}, {"b", "1"}, {"c", "1"}};
  made.objects.pod_scheduling_policies = {
      {.metadata = {.name = "two", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .node_selector = {{"b", "2"}, {"c", "2"}, {"d", "2"}}}}};
  Pod of_template{.kind = PodKind::deployment,
                  .metadata = {.name = "p", .namespace_ = "n"},
                  .spec = {.node_selector = {{"a", "1"}}}};
  of_template.spec.runtime_class_name = "windows";
  const Decision decision = engine_of(made).decide({.object = of_template});
  REQUIRE(decision.allowed);
  CHECK(decision.pod.spec.node_selector == Labels{{"a", "1"}, {"d", "2"}});
}

TEST_CASE("no policy takes the place of a toleration that the class of the pod gives") {
  const auto not_ready = [](std::int64_t seconds) {
    return Toleration{"node.kubernetes.io/not-ready", TolerationOperator::exists, "",
                      TaintEffect::no_execute, seconds};
  };
  Configuration made = windows();
  made.objects.pod_scheduling_policies = {
      {.metadata = {.name = "hasty", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .tolerations = {not_ready(20)}}}};
  for (const Mode mode : {Mode::enforce, Mode::audit}) {
    made.systems = {{System::runtime_class, mode}, {System::pod_scheduling_policy}};
    for (const bool is_of_class : {true, false}) {
      CAPTURE(is_of_class);
      made.objects.runtime_classes[0].scheduling->tolerations.clear();
      if (is_of_class) made.objects.runtime_classes[0].scheduling->tolerations = {not_ready(300)};
      const Engine engine = engine_of(made);
      for (const PodKind kind : pod_kinds) {
        CAPTURE(to_string(kind));
        Pod pod{.kind = kind, .metadata = {.name = "p", .namespace_ = "n"}};
        pod.spec.runtime_class_name = "windows";
        pod.spec.tolerations = {not_ready(300)};
        const Decision decision = engine.decide({.object = pod});
        CHECK(codes(decision) == std::vector<Code>{});
        CHECK(decision.pod.spec.tolerations == (is_of_class
                                                    ? std::vector{not_ready(300), not_ready(20)}
                                                    : std::vector{not_ready(20)}));
      }
    }
  }
}

TEST_CASE("the toleration of a class meets a required pattern, in a template as in its pods") {
  Configuration made = windows();
  made.objects.scheduling_policies[0].spec.required.tolerations = {
      {.keys = {"windows"}, .operators = any, .values = any, .effects = any}};
  const Engine engine = engine_of(made);
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    Pod pod{.kind = kind, .metadata = {.name = "p", .namespace_ = "n"}};
    CHECK(codes(engine.decide({.object = pod})) == std::vector{Code::toleration_required});
    pod.spec.runtime_class_name = "windows";
    CHECK(engine.decide({.object = pod}).allowed);
  }
}

TEST_CASE("what class and policies of the cluster give one pod together is bounded") {
  Configuration made = windows();
  made.systems = {
      {System::runtime_class}, {System::pod_scheduling_policy}, {System::scheduling_policy}};
  const auto tolerations = [](const std::string& key, std::size_t count) {
    std::vector<Toleration> all;
    for (std::size_t i = 0; i < count; ++i)
      all.push_back({.key = key + std::to_string(i), .operator_ = TolerationOperator::exists});
    return all;
  };
  auto& of_class = *made.objects.runtime_classes[0].scheduling;
  of_class.tolerations = tolerations("windows", max_given_items / 2 - 1);  // and a pair
  PodSchedulingPolicy policy = etcd_pool();
  policy.spec.pod_selector = LabelSelector{};
  policy.spec = {.namespace_selector = LabelSelector{},
                 .pod_selector = LabelSelector{},
                 .tolerations = tolerations("etcd", max_given_items / 2)};
  made.objects.pod_scheduling_policies = {policy};
  const Engine within = engine_of(made);
  made.objects.pod_scheduling_policies[0].spec.scheduler_name = "one-more";
  const Engine beyond = engine_of(made);
  CHECK(within.problems().empty());
  CHECK(beyond.problems().empty());
  Pod pod{.metadata = {.name = "p", .namespace_ = "n"}};
  pod.spec.runtime_class_name = "windows";
  for (const PodKind kind : pod_kinds) {
    CAPTURE(to_string(kind));
    pod.kind = kind;
    const Decision given = within.decide({.object = pod});
    REQUIRE(given.allowed);
    for (const auto& [object, phase] :
         {std::pair(pod, Phase::mutating), std::pair(given.pod, Phase::validating)}) {
      const Decision denied = beyond.decide({.object = object, .phase = phase});
      CHECK(!denied.allowed);
      CHECK(denied.pod == object);
      CHECK(codes(denied) == std::vector{Code::limit_exceeded});
      CHECK(message(denied.steps.back().violations[0])
                .ends_with("a limit is exceeded by `windows` and `etcd-pool`: a pod is given at "
                           "most 1024 items by "
                           "policies and its class, and these are 1025"));
    }
    Pod other = pod;
    other.spec.node_selector["kubernetes.io/arch"] = "arm64";
    if (kind == PodKind::pod) continue;
    CHECK(
        codes(beyond.decide({.operation = Operation::update, .object = other, .old = Old(pod)})) ==
        std::vector{Code::limit_exceeded});
  }
  // A pod that was there before can still be updated; nothing that it gets is theirs any more.
  pod.kind = PodKind::pod;
  const Pod running = within.decide({.object = pod}).pod;
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    Pod updated = running;
    updated.metadata.labels["released"] = "yes";
    CHECK(beyond
              .decide({.operation = Operation::update,
                       .object = updated,
                       .old = Old(running),
                       .phase = phase})
              .allowed);
    Pod lacking = running;
    lacking.spec.tolerations.pop_back();
    CHECK(codes(beyond.decide({.operation = Operation::update,
                               .object = running,
                               .old = Old(lacking),
                               .phase = phase})) == std::vector{Code::toleration_not_allowed});
  }
  // Without the class, which is its author's to name, a pod is given less.
  pod.spec.runtime_class_name = "";
  CHECK(beyond.decide({.object = pod}).allowed);
}

TEST_CASE("a default with what policies add to its terms is told from other terms within a bound") {
  // Most terms of the pod extend the last of the default alone, after all others were looked at.
  const auto exists = [](const std::string& key) {
    return NodeSelectorRequirement{.key = key, .operator_ = NodeSelectorOperator::exists};
  };
  std::vector<NodeSelectorRequirement> keys;
  for (int i = 0; i < 100; ++i) keys.push_back(exists("key" + std::to_string(i)));
  Configuration made = configuration();
  made.objects.pod_scheduling_policies[0].spec = {.namespace_selector = LabelSelector{},
                                                  .pod_selector = LabelSelector{},
                                                  .affinity = required_node(keys)};
  NodeAffinity defaults;
  auto& given = defaults.required_during_scheduling_ignored_during_execution.emplace();
  for (const NodeSelectorRequirement& key : keys)
    given.node_selector_terms.push_back({.match_expressions = {key}});
  given.node_selector_terms.back().match_expressions.push_back(exists("given"));
  made.objects.scheduling_policies[0].spec.defaults.affinity = Affinity{.node_affinity = defaults};
  const Engine engine = engine_of(made);
  std::vector<NodeSelectorRequirement> expressions = keys;
  expressions.push_back(exists("given"));
  Pod pod = etcd();
  pod.spec = {.affinity = required_node(keys)};  // which extends all terms but the last
  auto& terms = pod.spec.affinity->node_affinity
                    ->required_during_scheduling_ignored_during_execution->node_selector_terms;
  terms.push_back({.match_expressions = expressions});
  CHECK(engine.decide({.object = pod}).allowed);
  terms.resize(16, terms.back());
  CHECK(codes(engine.decide({.object = pod})).front() == Code::affinity_not_allowed);
}

TEST_CASE("what a class added is exempt no longer when another one, or none, is in its place") {
  Configuration made = configuration();
  made.systems = {{System::scheduling_policy}, {System::runtime_class}};
  made.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"sandbox", "yes"}}}}};
  Pod pod{.metadata = {.name = "p", .namespace_ = "n"}};
  pod.spec.runtime_class_name = "kata";
  pod.spec.node_selector = {{"sandbox", "yes"}};
  const Engine engine = engine_of(made);
  CHECK(engine.decide({.object = pod}).allowed);
  engine::Objects bare;
  bare.runtime_classes = {{.metadata = {.name = "kata"}, .handler = "kata"}};
  CHECK(codes(engine.with(bare).decide({.object = pod})) ==
        std::vector{Code::node_selector_not_allowed});
  CHECK(codes(engine.without(bare).decide({.object = pod})) ==
        std::vector{Code::node_selector_not_allowed});
}

}  // namespace cluster_criteria_test
