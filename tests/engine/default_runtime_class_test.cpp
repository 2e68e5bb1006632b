// SPDX-License-Identifier: Apache-2.0
// A default runtime class is there before any system looks at the pod.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine {
namespace default_runtime_class_test {

/// The class `gvisor` gives a node selector and an overhead, a policy gives the class, and nothing else is
/// allowed.
Engine sandboxing(Mode mode,
                  std::vector<System> order = {System::runtime_class, System::scheduling_policy},
                  scheduling_policy::PolicySection required = {}) {
  Configuration configuration;
  for (const System system : order)
    configuration.systems.push_back(
        {system, system == System::scheduling_policy ? mode : Mode::enforce});
  configuration.settings.policy_use = PolicyUse::every;
  configuration.settings.options.governs = scheduling_policy::Components::all();
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "gvisor"},
       .handler = "runsc",
       .overhead = runtime_class::Overhead{.pod_fixed = {{"cpu", *Quantity::parse("1")}}},
       .scheduling = runtime_class::Scheduling{.node_selector = {{"sandbox", "yes"}}}}};
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "sandbox"},
       .spec = {.required = std::move(required),
                .allowed = {.scheduler_names = any},
                .defaults = {.runtime_class_name = "gvisor"}}}};
  auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

Decision decided(const Engine& engine, PodKind kind, const std::string& name = "") {
  Request request;
  request.object.kind = kind;
  request.object.spec.runtime_class_name = name;
  return engine.decide(request);
}

TEST_CASE("a default runtime class gives the pod what the class does, whatever the order") {
  for (const auto& order : {std::vector{System::runtime_class, System::scheduling_policy},
                            std::vector{System::scheduling_policy, System::runtime_class}}) {
    const Decision decision = decided(sandboxing(Mode::enforce, order), PodKind::pod);
    CHECK(decision.allowed);
    CHECK(decision.pod.spec.runtime_class_name == "gvisor");
    CHECK(decision.pod.spec.node_selector == Labels{{"sandbox", "yes"}});
    CHECK(decision.pod.spec.overhead.size() == 1);
    for (const StepDecision& said : decision.steps) {
      if (said.step.system != System::scheduling_policy) continue;
      REQUIRE(said.changes.size() == 1);
      CHECK(said.changes[0] ==
            Change{{"spec", "runtimeClassName"}, std::nullopt, "gvisor", "sandbox"});
    }
  }
}

TEST_CASE("a template gets the name of the class, and its pods the rest") {
  const Decision decision = decided(sandboxing(Mode::enforce), PodKind::deployment);
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.runtime_class_name == "gvisor");
  CHECK(decision.pod.spec.node_selector.empty());
}

TEST_CASE("a pod keeps its own class, for which a permission is needed") {
  const Decision decision = decided(sandboxing(Mode::enforce), PodKind::pod, "gvisor");
  CHECK(decision.allowed);
  CHECK(decision.steps.back().changes.empty());
  CHECK_FALSE(decided(sandboxing(Mode::enforce), PodKind::pod, "kata").allowed);
}

TEST_CASE("no class is given by a system that only warns, nor to a pod that is there") {
  const Decision warned = decided(sandboxing(Mode::warn), PodKind::pod);
  CHECK(warned.allowed);
  CHECK(warned.pod.spec.runtime_class_name.empty());
  CHECK(warned.pod.spec.node_selector.empty());
  Request update;
  update.operation = Operation::update;
  update.object.metadata.labels = {{"a", "b"}};
  const Decision updated = sandboxing(Mode::enforce).decide(update);
  CHECK(updated.allowed);
  CHECK(updated.pod.spec.runtime_class_name.empty());
}

TEST_CASE("what a policy gives is given for as long as the policy is there") {
  const Engine engine = sandboxing(Mode::enforce);
  Objects changed;
  changed.scheduling_policies = {
      {.metadata = {.name = "sandbox"}, .spec = {.allowed = {.scheduler_names = any}}}};
  CHECK(decided(engine.with(changed), PodKind::pod).pod.spec.runtime_class_name.empty());
  changed.scheduling_policies[0].spec.defaults.runtime_class_name = "gvisor";
  CHECK(decided(engine.with(changed).with(changed), PodKind::pod).pod.spec.runtime_class_name ==
        "gvisor");
}

TEST_CASE("what a policy gives is given whatever becomes of one that gives nothing") {
  Objects other;
  other.scheduling_policies = {
      {.metadata = {.name = "other"}, .spec = {.allowed = {.scheduler_names = any}}}};
  const Engine both =
      sandboxing(Mode::enforce, {System::runtime_class, System::scheduling_policy},
                 {.node_selectors = {{"sandbox", {"yes"}}}})  // which the class gives
          .with(other);
  for (const Engine& engine : {both, both.with(other), both.without(other)}) {
    const Decision decision = decided(engine, PodKind::pod);
    CHECK(decision.allowed);
    CHECK(decision.pod.spec.runtime_class_name == "gvisor");
  }
}

}  // namespace default_runtime_class_test
}  // namespace SCHEDPOL_NAMESPACE::engine
