// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "engines.hpp"

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

namespace engine_test {

using namespace engines;

using engine::Operation;
using engine::Phase;
using engine::Step;

static_assert(std::is_copy_constructible_v<Engine> && std::is_nothrow_move_constructible_v<Engine>);

TEST_CASE(
    "what a system that does not enforce would change is said once, however often it is asked") {
  Configuration configuration = batch_only();
  // The second system changes the pod only for the label that the third writes, so all are asked
  // again.
  configuration.systems = {{System::scheduling_policy, Mode::audit},
                           {System::pod_scheduling_policy},
                           {System::metadata_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "disk", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"tier", "web"}}},
                .node_selector = {{"disk", "ssd"}}}}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "tier", .namespace_ = "n"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"tier", "web"}}}}}}}};
  const Decision decision =
      engine_of(configuration).decide({.object = {.metadata = {.name = "p", .namespace_ = "n"}}});
  CHECK(decision.allowed);
  REQUIRE(decision.steps.size() == 3);
  CHECK(decision.steps[0].changes.size() == 1);
  CHECK(!decision.steps[1].changes.empty());
  CHECK(!decision.steps[2].changes.empty());
}

runtime_class::RuntimeClass kata() {
  return {.metadata = {.name = "kata"},
          .handler = "kata",
          .overhead = {{.pod_fixed = {{"memory", *Quantity::parse("160Mi")}}}},
          .scheduling = {
              {.node_selector = {{"sandbox", "kata"}},
               .tolerations = {{.key = "sandboxed", .operator_ = TolerationOperator::exists}}}}};
}
Decision verified(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod, .phase = Phase::validating});
}
Decision updated(const Engine& engine, const Pod& old, const Pod& pod) {
  return engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)});
}

TEST_CASE("an engine of nothing denies everything") {
  CHECK_FALSE(Engine().runs(System::scheduling_policy));
  CHECK(!Decision().allowed);
  const Pod pod = pod_in("n");
  for (const Decision& decision :
       {created(Engine(), pod), verified(Engine(), pod), updated(Engine(), pod, pod)}) {
    CHECK(!decision.allowed);
    CHECK(decision.steps.empty());
    CHECK(decision.pod == pod);
  }
}

TEST_CASE(
    "an engine says whether one of its systems looks at metadata, and who the controller is") {
  Configuration configuration = batch_only();
  CHECK(!engine_of(configuration).looks_at_metadata());
  configuration.systems.push_back({System::metadata_policy});
  CHECK(engine_of(configuration).looks_at_metadata());
  configuration.systems = {{System::metadata_policy}, {System::scheduling_policy}};
  configuration.settings.daemon_set_controller = "controller";
  CHECK(engine_of(configuration).looks_at_metadata());
  CHECK(engine_of(configuration).daemon_set_controller() == "controller");
  CHECK(!Engine().looks_at_metadata());
  CHECK(Engine().daemon_set_controller().empty());
}

TEST_CASE("an engine is compiled of a list of systems without errors, and of no other") {
  CHECK(compile(batch_only()));
  Configuration configuration = batch_only();
  configuration.systems.clear();
  const auto engine = compile(configuration);
  CHECK(!engine);
  CHECK(engine.errors() == validate(configuration));
  CHECK(engine.errors().size() == 1);
  configuration.systems = {{System::runtime_class}, {System::runtime_class}};
  CHECK(!compile(configuration));
  configuration.systems = {{System::runtime_class}, {System::metadata_policy}};
  const Engine two = engine_of(configuration);
  CHECK(two.runs(System::runtime_class));
  CHECK(two.runs(System::metadata_policy));
  CHECK(!two.runs(System::scheduling_policy));
  CHECK(!Engine().runs(System::runtime_class));
}

TEST_CASE(
    "systems run in their order, each on what the one before made, and the first denial ends it") {
  Configuration configuration = batch_only();
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .scheduler_name = "injected",
                .tolerations = {{.key = "spot", .operator_ = TolerationOperator::exists}}}}};

  configuration.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  Decision decision = created(engine_of(configuration), pod_in("n"));
  CHECK(!decision.allowed);
  CHECK(codes(decision) == std::vector{Code::scheduler_name_not_allowed});
  CHECK(decision.pod == pod_in("n"));
  REQUIRE(decision.steps.size() == 2);
  CHECK(decision.steps[0].changes.size() == 2);

  configuration.systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}};
  decision = created(engine_of(configuration), pod_in("n"));
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.scheduler_name == "batch");
  CHECK(decision.pod.spec.tolerations.size() == 1);

  configuration.systems = {{System::scheduling_policy}, {System::resource_policy}};
  Pod denied = pod_in("n");
  denied.spec.node_name = "node-1";
  decision = created(engine_of(configuration), denied);
  CHECK(!decision.allowed);
  CHECK(decision.steps.size() == 1);
  CHECK(decision.pod == denied);
}

TEST_CASE(
    "a system that does not enforce neither changes nor denies, and says what it would have") {
  for (const Mode mode : {Mode::warn, Mode::audit}) {
    const Engine engine = engine_of(batch_only(mode));
    const Decision changed = created(engine, pod_in("n"));
    CHECK(changed.allowed);
    CHECK(changed.pod == pod_in("n"));
    REQUIRE(changed.steps.size() == 1);
    CHECK(changed.steps[0].changes.size() == 1);
    CHECK(changed.steps[0].violations.empty());
    Pod denied = pod_in("n");
    denied.spec.scheduler_name = "other";
    for (const Decision& decision : {created(engine, denied), verified(engine, denied),
                                     updated(engine, pod_in("n"), denied)}) {
      CHECK(decision.allowed);
      CHECK(decision.pod == denied);
      CHECK(codes(decision) == std::vector{Code::scheduler_name_not_allowed});
    }
  }
}

TEST_CASE("an update is denied for what it adds, and only its metadata is changed") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::runtime_class},
                           {System::metadata_policy},
                           {System::pod_scheduling_policy},
                           {System::scheduling_policy},
                           {System::resource_policy}};
  configuration.objects.runtime_classes = {kata()};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "no-legacy", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = {{.match_labels = {{"legacy",
                                                                                      "yes"}}}}},
                           .policy_action = {.reject = true}}}}}};
  configuration.objects.resource_policies = {
      {.metadata = {.name = "a", .namespace_ = "n"},
       .spec = {.pod_selector = {{.match_labels = {{"both", "x"}}}}}},
      {.metadata = {.name = "b", .namespace_ = "n"}}};
  const Engine engine = engine_of(configuration);
  struct Case {
    const char* what;
    Pod old;
    Pod updated;
    std::vector<Code> denied;
  };
  const auto with = [](auto&& change) {
    Pod pod = pod_in("n");
    pod.spec.scheduler_name = "batch";
    change(pod);
    return pod;
  };
  const Pod plain = with([](Pod&) {});
  const auto labelled = [&](const char* key, const char* value) {
    return with([&](Pod& pod) { pod.metadata.labels = {{key, value}}; });
  };
  const auto scheduled = [&](const char* name) {
    return with([&](Pod& pod) { pod.spec.scheduler_name = name; });
  };
  const auto of_class = [&](const char* name) {
    return with([&](Pod& pod) { pod.spec.runtime_class_name = name; });
  };
  const Case cases[] = {
      {"nothing", plain, plain, {}},
      {"an old violation stays", scheduled("x"), scheduled("x"), {}},
      {"a new violation", plain, scheduled("x"), {Code::scheduler_name_not_allowed}},
      {"defaults that are gone are not given back",
       plain,
       scheduled(""),
       {Code::scheduler_name_not_allowed}},
      {"a class that is not there", plain, of_class("gone"), {Code::runtime_class_not_found}},
      {"a class that is no longer there", of_class("gone"), of_class("gone"), {}},
      {"a label that is rejected", plain, labelled("legacy", "yes"), {Code::rejected_by_rule}},
      {"a label that was there when the rule came",
       labelled("legacy", "yes"),
       labelled("legacy", "yes"),
       {}},
      {"a second resource policy",
       plain,
       labelled("both", "x"),
       {Code::multiple_resource_policies}},
      {"two resource policies already", labelled("both", "x"), labelled("both", "x"), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Decision decision = updated(engine, c.old, c.updated);
    CHECK(decision.allowed == c.denied.empty());
    CHECK(codes(decision) == c.denied);
    CHECK(decision.pod == c.updated);
  }
}

TEST_CASE("an update in a namespace that is not known is not denied for it") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "zones"},
       .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
                .pod_selector = LabelSelector{}}}};
  const Engine engine = engine_of(configuration);
  const Pod pod = pod_in("unknown");
  REQUIRE(codes(created(engine, pod)) == std::vector{Code::namespace_not_found});
  CHECK(updated(engine, pod_in("unknown", {{"a", "b"}}), pod).allowed);
  CHECK(verified(engine, pod).allowed);
}

TEST_CASE("of what is not changed, too, the first denial of a system that enforces is the last") {
  Configuration configuration = batch_only();
  configuration.objects.resource_policies = {{.metadata = {.name = "a", .namespace_ = "n"}},
                                             {.metadata = {.name = "b", .namespace_ = "n"}}};
  Pod pod = pod_in("n");
  pod.spec.scheduler_name = "other";
  const std::vector both = {Code::scheduler_name_not_allowed, Code::multiple_resource_policies};
  for (const Mode first : {Mode::enforce, Mode::warn, Mode::audit}) {
    configuration.systems = {{System::scheduling_policy, first}, {System::resource_policy}};
    const Engine engine = engine_of(configuration);
    const std::size_t steps = first == Mode::enforce ? 1 : 2;
    for (const Decision& decision :
         {verified(engine, pod), updated(engine, pod_in("other"), pod)}) {
      CHECK(!decision.allowed);
      CHECK(codes(decision) == std::vector(both.begin(), both.begin() + std::ptrdiff_t(steps)));
      REQUIRE(decision.steps.size() == steps);
      CHECK(decision.steps[0].step == Step{System::scheduling_policy, first});
    }
  }
}

TEST_CASE("another rule that rejects is another reason, whatever its index") {
  Configuration configuration;
  configuration.systems = {{System::metadata_policy}};
  const auto rejects = [](const char* name, const char* label) -> metadata_policy::MetadataPolicy {
    return {.metadata = {.name = name, .namespace_ = "n"},
            .spec = {.rules = {
                         {.policy_predicate = {.label_selector = {{.match_labels = {{label, ""}}}}},
                          .policy_action = {.reject = true}}}}};
  };
  configuration.objects.metadata_policies = {rejects("first", "a"), rejects("second", "b")};
  const Engine engine = engine_of(configuration);
  CHECK(!updated(engine, pod_in("n", {{"a", ""}}), pod_in("n", {{"b", ""}})).allowed);
  CHECK(updated(engine, pod_in("n", {{"a", ""}, {"b", ""}}), pod_in("n", {{"b", ""}})).allowed);
}

TEST_CASE("after all mutators a pod is judged as it stands") {
  Configuration configuration = batch_only();
  configuration.systems = {
      {System::runtime_class}, {System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {kata()};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "all", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = {{.match_labels = {{"legacy",
                                                                                      "yes"}}}}},
                           .policy_action = {.reject = true}}}}}};
  const Engine engine = engine_of(configuration);
  Pod pod = pod_in("n", {{"legacy", "yes"}});
  CHECK(codes(verified(engine, pod)) == std::vector{Code::rejected_by_rule});
  pod.metadata.labels.clear();
  CHECK(codes(verified(engine, pod)) == std::vector{Code::scheduler_name_not_allowed});
  pod.spec.scheduler_name = "batch";
  CHECK(verified(engine, pod).allowed);
  pod.spec.runtime_class_name = "kata";
  CHECK(codes(verified(engine, pod)) == std::vector{Code::overhead_mismatch,
                                                    Code::node_selector_required,
                                                    Code::toleration_required});
  pod = runtime_class::admit(pod, configuration.objects.runtime_classes).pod;
  CHECK(verified(engine, pod).allowed);
  // A template has not got what its pods will get.
  pod.kind = PodKind::deployment;
  pod.spec.node_selector.clear();
  CHECK(verified(engine, pod).allowed);
  pod.spec.runtime_class_name = "gone";
  CHECK(codes(verified(engine, pod)) == std::vector{Code::runtime_class_not_found});
}

TEST_CASE("a RuntimeClass changes pods, not templates, and what it adds is exempt") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {kata()};
  const Engine engine = engine_of(configuration);
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "kata";
  Decision decision = created(engine, pod);
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.node_selector == Labels{{"sandbox", "kata"}});
  CHECK(decision.pod.spec.overhead.size() == 1);
  pod.kind = PodKind::job;
  decision = created(engine, pod);
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.node_selector.empty());
  CHECK(decision.pod.spec.overhead.empty());
  CHECK(decision.pod.spec.scheduler_name == "batch");
  REQUIRE(decision.steps.size() == 2);
  CHECK(decision.steps[0].changes.empty());
  pod.spec.node_selector = {{"sandbox", "gvisor"}};
  CHECK(codes(created(engine, pod)) == std::vector{Code::node_selector_conflict});
  // What it would have been is told where it is only told.
  configuration.systems[0].mode = Mode::audit;
  pod.spec.node_selector.clear();
  CHECK(created(engine_of(configuration), pod).steps[0].changes.size() == 3);
  // Without the class the same criteria are the user's own.
  pod.spec.runtime_class_name.clear();
  pod.spec.node_selector = {{"sandbox", "kata"}};
  CHECK(codes(created(engine, pod)) == std::vector{Code::node_selector_not_allowed});
}

TEST_CASE("policies for namespaces need to know the namespace") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  pod_scheduling_policy::PodSchedulingPolicy policy = {
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "zones"},
      .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
               .pod_selector = {{.match_labels = {{"app", "x"}}}},
               .node_name = "node-1"}};
  configuration.objects.pod_scheduling_policies = {policy};
  configuration.objects.namespaces = {{{.name = "of-b", .labels = {{"team", "b"}}}},
                                      {{.name = "of-a", .labels = {{"team", "a"}}}}};
  const Engine engine = engine_of(configuration);
  CHECK(created(engine, pod_in("of-a", {{"app", "x"}})).pod.spec.node_name == "node-1");
  CHECK(created(engine, pod_in("of-b", {{"app", "x"}})).pod.spec.node_name == "");
  CHECK(created(engine, pod_in("unknown", {{"app", "y"}})).allowed);
  const Decision unknown = created(engine, pod_in("unknown", {{"app", "x"}}));
  CHECK(!unknown.allowed);
  REQUIRE(codes(unknown) == std::vector{Code::namespace_not_found});
  CHECK(unknown.steps[0].violations[0].field == "metadata.namespace");
  CHECK(unknown.steps[0].violations[0].value == "unknown");
  CHECK(unknown.steps[0].violations[0].policies == Names{policy.metadata.name});
  for (const auto& selector : {std::optional<LabelSelector>(), std::optional(LabelSelector{})}) {
    policy.spec.namespace_selector = selector;
    configuration.objects.pod_scheduling_policies = {policy};
    const Decision decision = created(engine_of(configuration), pod_in("unknown", {{"app", "x"}}));
    CHECK(decision.allowed);
    CHECK(decision.pod.spec.node_name == (selector ? "node-1" : ""));
  }
}

TEST_CASE("the scheduler that the API server fills in counts as none") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  Pod pod = pod_in("n");
  pod.spec.scheduler_name = "default-scheduler";
  CHECK(created(engine_of(configuration), pod).pod.spec.scheduler_name == "batch");
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "a", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "batch"}},
      {.metadata = {.name = "b", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "late"}}};
  const Decision decision = created(engine_of(configuration), pod);
  CHECK(decision.allowed);
  REQUIRE(decision.steps[0].changes.size() == 1);
  CHECK(decision.steps[0].changes[0].from == "default-scheduler");
  CHECK(decision.steps[0].changes[0].policy == "a");
}

}  // namespace engine_test
