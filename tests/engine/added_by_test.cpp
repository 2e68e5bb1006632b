// SPDX-License-Identifier: Apache-2.0
// What a denial says of who added what is denied.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace added_by_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::Operation;
using engine::PolicyUse;
using engine::System;
using pod_scheduling_policy::PodSchedulingPolicy;
using pod_scheduling_policy::PodSchedulingPolicySpec;

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

PodSchedulingPolicy injecting(const char* name, PodSchedulingPolicySpec spec) {
  spec.pod_selector = LabelSelector{};
  return {.metadata = {.name = name, .namespace_ = "shop"}, .spec = std::move(spec)};
}

// A SchedulingPolicy that allows nothing but the default scheduler.
Configuration restricted(std::vector<PodSchedulingPolicy> injected) {
  Configuration configuration{
      .systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}}};
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.pod_scheduling_policies = std::move(injected);
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "restricted"},
       .spec = {.allowed = {.scheduler_names = {"default-scheduler"}}}}};
  return configuration;
}

Pod pod_of(PodSpec spec = {}) {
  return {.metadata = {.name = "p", .namespace_ = "shop"}, .spec = std::move(spec)};
}

Toleration tolerating(const char* key) {
  return {.key = key, .operator_ = TolerationOperator::exists};
}

// Field and who added it, of each violation; the same whether or not changes show values.
std::vector<std::string> added(const Engine& engine, engine::Request request) {
  const Decision decision = engine.decide(request);
  REQUIRE(!decision.allowed);
  request.values = ChangeValues::omitted;
  CHECK(engine.decide(request).steps.back().violations == decision.steps.back().violations);
  std::vector<std::string> texts;
  for (const Violation& violation : decision.steps.back().violations) {
    texts.push_back(to_string(violation.field) + ":");
    for (const std::string& name : violation.added_by) texts.back() += " " + name;
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST_CASE("a violation on what another policy added says which one added it") {
  const Engine engine = engine_of(
      restricted({injecting("widen", {.scheduler_name = "mine",
                                      .node_selector = {{"pool", "gpu"}},
                                      .tolerations = {tolerating("gpu")}}),
                  injecting("wider", {.tolerations = {tolerating("spot"), tolerating("gpu")}})}));
  const Pod pod = pod_of();
  CHECK(added(engine, {.object = pod}) ==
        Texts{"spec.schedulerName: shop/widen", "spec.nodeSelector[pool]: shop/widen",
              "spec.tolerations[0]: shop/widen", "spec.tolerations[1]: shop/wider"});
  const Decision decision = engine.decide({.object = pod});
  CHECK(message(decision.steps.back().violations[0]) ==
        "`spec.schedulerName`: scheduler `mine` is not allowed by `restricted` (permitted: "
        "`default-scheduler`), added by `shop/widen`");
  SUBCASE("but not on what its author wrote") {
    const Pod own = pod_of({.scheduler_name = "mine", .tolerations = {tolerating("gpu")}});
    CHECK(added(engine, {.object = own}) ==
          Texts{"spec.schedulerName:", "spec.nodeSelector[pool]: shop/widen",
                "spec.tolerations[0]:", "spec.tolerations[1]: shop/wider"});
  }
  SUBCASE("in the paths of a template too") {
    Pod deployment = pod;
    deployment.kind = PodKind::deployment;
    CHECK(added(engine, {.object = deployment})[3] ==
          "spec.template.spec.tolerations[1]: shop/wider");
  }
}

TEST_CASE("what a policy puts in the place of the API server's toleration is its doing") {
  const auto not_ready = [](std::int64_t seconds) {
    return Toleration{"node.kubernetes.io/not-ready", TolerationOperator::exists, "",
                      TaintEffect::no_execute, seconds};
  };
  Configuration configuration =
      restricted({injecting("patient", {.tolerations = {not_ready(900)}})});
  configuration.settings.options = engine::admission_options({});
  const Pod pod = pod_of({.tolerations = {not_ready(300)}});
  CHECK(added(engine_of(configuration), {.object = pod}) ==
        Texts{"spec.tolerations[0]: shop/patient"});
}

TEST_CASE("who adds it may come after who denies it") {
  Configuration configuration = restricted({injecting("widen", {.scheduler_name = "mine"})});
  std::swap(configuration.systems[0], configuration.systems[1]);
  CHECK(added(engine_of(configuration), {.object = pod_of()}) ==
        Texts{"spec.schedulerName: shop/widen"});
}

TEST_CASE("what a system that only warns would add is nobody's") {
  Configuration configuration = restricted({injecting("widen", {.scheduler_name = "mine"})});
  configuration.systems[0].mode = Mode::warn;
  CHECK(added(engine_of(configuration), {.object = pod_of({.scheduler_name = "mine"})}) ==
        Texts{"spec.schedulerName:"});
}

TEST_CASE("what a system only warns of says who added it, too") {
  for (const Mode mode : {Mode::warn, Mode::audit}) {
    for (const bool another_denies : {false, true}) {
      CAPTURE(mode);
      CAPTURE(another_denies);
      Configuration configuration =
          restricted({injecting("widen", {.node_selector = {{"pool", "gpu"}},
                                          .tolerations = {tolerating("gpu"), tolerating("spot")}}),
                      injecting("wider", {.tolerations = {tolerating("arm")}})});
      configuration.systems[1].mode = mode;
      configuration.systems.push_back({System::runtime_class});
      Pod pod = pod_of({.tolerations = {tolerating("spot")}});
      if (another_denies) pod.spec.runtime_class_name = "none";
      for (const auto values : {ChangeValues::shown, ChangeValues::omitted}) {
        const Decision decision =
            engine_of(configuration).decide({.object = pod, .values = values});
        CHECK(decision.allowed == !another_denies);
        std::vector<std::string> texts;
        for (const Violation& each : decision.steps[1].violations) texts.push_back(message(each));
        CHECK(
            texts ==
            Texts{"`spec.nodeSelector[pool]`: node selector `gpu` is not allowed by `restricted`, "
                  "added by `shop/widen`",
                  "`spec.tolerations[0]`: toleration `spot Exists` is not allowed by `restricted`",
                  "`spec.tolerations[1]`: toleration `gpu Exists` is not allowed by `restricted`, "
                  "added by `shop/widen`",
                  "`spec.tolerations[2]`: toleration `arm Exists` is not allowed by `restricted`, "
                  "added by `shop/wider`"});
      }
    }
  }
}

TEST_CASE("what comes after a system that only warns is not what it warns of") {
  Configuration configuration =
      restricted({injecting("widen", {.node_selector = {{"pool", "gpu"}}})});
  std::swap(configuration.systems[0], configuration.systems[1]);
  configuration.systems[0].mode = Mode::warn;
  const Decision decision =
      engine_of(configuration).decide({.object = pod_of({.node_selector = {{"pool", "cpu"}}})});
  CHECK(decision.allowed);
  REQUIRE(decision.steps[0].violations.size() == 1);
  CHECK(decision.steps[0].violations[0].added_by == Names());
}

TEST_CASE("a class that contradicts what a policy added says so") {
  Configuration configuration = restricted({injecting("pool", {.node_selector = {{"os", "a"}}})});
  configuration.systems[1] = {System::runtime_class};
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"os", "b"}}}}};
  const Pod pod = pod_of({.runtime_class_name = "kata"});
  CHECK(added(engine_of(configuration), {.object = pod}) ==
        Texts{"spec.nodeSelector[os]: shop/pool"});
  const Pod own = pod_of({.node_selector = {{"os", "a"}}, .runtime_class_name = "kata"});
  CHECK(added(engine_of(configuration), {.object = own}) == Texts{"spec.nodeSelector[os]:"});
}

TEST_CASE("a class that a policy gives is the policy's doing, and what it adds that of the class") {
  const struct {
    const char* what;
    const char* given;
    PodSpec own;
    Labels required;
    Texts added;
  } cases[] = {
      {"a class that is not there", "kata", {}, {}, {"spec.runtimeClassName: sandbox"}},
      {"what the author wrote against it",
       "gvisor",
       {.node_selector = {{"sandbox", "no"}}},
       {},
       {"spec.nodeSelector[sandbox]: sandbox"}},
      {"what the class gives against a requirement",
       "gvisor",
       {},
       {{"sandbox", "vm"}},
       {"spec.nodeSelector[sandbox]: gvisor"}},
      {"the author's own class",
       "kata",
       {.node_selector = {{"sandbox", "no"}}, .runtime_class_name = "gvisor"},
       {},
       {"spec.nodeSelector[sandbox]:"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    Configuration configuration = restricted({});
    configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
    configuration.objects.runtime_classes = {
        {.metadata = {.name = "gvisor"},
         .handler = "runsc",
         .scheduling = runtime_class::Scheduling{.node_selector = {{"sandbox", "yes"}}}}};
    auto& spec = configuration.objects.scheduling_policies.front().spec;
    configuration.objects.scheduling_policies.front().metadata.name = "sandbox";
    spec.allowed.node_selectors = any;
    spec.defaults.runtime_class_name = c.given;
    for (const auto& [key, value] : c.required) spec.required.node_selectors = {{key, {value}}};
    CHECK(added(engine_of(configuration), {.object = pod_of(c.own)}) == c.added);
  }
}

TEST_CASE("a scheduler that a MetadataPolicy chose is its doing") {
  Configuration configuration = restricted({});
  configuration.systems = {{System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "qos", .namespace_ = "shop"},
       .spec = {
           .rules = {{.policy_action = {.updated_annotations = {
                                            {"scheduler.alpha.kubernetes.io/name", "mine"}}}}}}}};
  CHECK(added(engine_of(configuration), {.object = pod_of()}) ==
        Texts{"spec.schedulerName: shop/qos"});
}

TEST_CASE("where no policy may be used it is said by whom") {
  Configuration configuration{.systems = {{System::scheduling_policy}}};
  const Pod pod = pod_of({.service_account_name = "builder"});
  const auto said = [&](const engine::Request& request) {
    const Decision decision = engine_of(configuration).decide(request);
    REQUIRE(!decision.allowed);
    return message(decision.steps.back().violations.front());
  };
  const std::string by_account =
      "`spec`: no scheduling policy may be used by `system:serviceaccount:shop:builder`";
  CHECK(said({.object = pod}) == by_account);
  CHECK(said({.object = pod, .phase = engine::Phase::validating}) == by_account);
  CHECK(said({.operation = Operation::update,
              .object = pod_of({.scheduler_name = "mine", .service_account_name = "builder"}),
              .old = Old(pod)}) == by_account);
  configuration.settings.policy_use = PolicyUse::every;
  CHECK(said({.object = pod}) == "`spec`: no scheduling policy may be used for this pod");
}

}  // namespace added_by_test
