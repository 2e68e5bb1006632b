// SPDX-License-Identifier: Apache-2.0
// A namespace says by its label how strictly its pods are held to the policies, where the
// configuration lets it.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <optional>
#include <string>
#include <vector>

namespace namespace_modes_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::NamespaceModes;
using engine::Objects;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::Request;
using engine::System;

Namespace shop(std::optional<std::string> label) {
  Namespace in{.metadata = {.name = "shop"}};
  if (label) in.metadata.labels[std::string(engine::mode_label)] = *std::move(label);
  return in;
}

/// Permits the default scheduler alone, and gives a class.
Configuration configuration_of(Mode mode, std::optional<NamespaceModes> modes) {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.settings.namespace_modes = modes;
  configuration.systems = {{System::scheduling_policy, mode}};
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "s"},
       .spec = {.allowed = {.scheduler_names = {"default-scheduler"}},
                .defaults = {.priority_class_name = "low"}}}};
  return configuration;
}

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

Pod pod(std::string scheduler = "blue") {
  return {.metadata = {.name = "p", .namespace_ = "shop"},
          .spec = {.scheduler_name = std::move(scheduler)}};
}

Mode mode_in(const Decision& decision) {
  REQUIRE(decision.steps.size() == 1);
  return decision.steps.front().step.mode;
}

TEST_CASE("the mode of a namespace is that of its label, none weaker than the weakest") {
  const struct {
    const char* about;
    Mode configured;
    std::optional<NamespaceModes> modes;
    std::optional<std::string> label;
    Mode wanted;
  } cases[] = {
      {"nobody lets it say so", Mode::enforce, {}, "Warn", Mode::enforce},
      {"no label", Mode::enforce, NamespaceModes{Mode::audit}, {}, Mode::enforce},
      {"no label", Mode::warn, NamespaceModes{Mode::audit}, {}, Mode::warn},
      {"no label, weaker than the weakest",
       Mode::audit,
       NamespaceModes{Mode::warn},
       {},
       Mode::audit},
      {"weaker", Mode::enforce, NamespaceModes{Mode::warn}, "Warn", Mode::warn},
      {"weaker", Mode::enforce, NamespaceModes{Mode::audit}, "Audit", Mode::audit},
      {"too weak", Mode::enforce, NamespaceModes{Mode::warn}, "Audit", Mode::warn},
      {"too weak by default", Mode::enforce, NamespaceModes{}, "Warn", Mode::enforce},
      {"stricter", Mode::warn, NamespaceModes{Mode::audit}, "Enforce", Mode::enforce},
      {"stricter", Mode::audit, NamespaceModes{Mode::audit}, "Warn", Mode::warn},
      {"unknown word", Mode::warn, NamespaceModes{Mode::audit}, "warn", Mode::enforce},
      {"empty word", Mode::warn, NamespaceModes{Mode::audit}, "", Mode::enforce},
  };
  for (const auto& [about, configured, modes, label, wanted] : cases) {
    CAPTURE(about);
    CAPTURE(to_string(configured));
    Configuration configuration = configuration_of(configured, modes);
    configuration.objects.namespaces = {shop(label)};
    const Engine engine = engine_of(configuration);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const Decision denied = engine.decide({.object = pod(), .phase = phase});
      CHECK(mode_in(denied) == wanted);
      CHECK(denied.allowed == (wanted != Mode::enforce));
      CHECK(denied.steps.front().violations.size() == 1);
      CHECK(denied.unknown.empty());
    }
    const Decision given = engine.decide({.object = pod("default-scheduler")});
    CHECK(given.allowed);
    CHECK(given.pod.spec.priority_class_name == (wanted == Mode::enforce ? "low" : ""));
    Pod workload = pod();
    workload.kind = PodKind::deployment;
    CHECK(engine.decide({.object = workload}).allowed == (wanted != Mode::enforce));
  }
}

TEST_CASE("the label of a namespace holds for every system that is run") {
  Configuration configuration = configuration_of(Mode::enforce, NamespaceModes{Mode::audit});
  configuration.systems = {
      {System::runtime_class}, {System::pod_scheduling_policy}, {System::scheduling_policy}};
  configuration.objects.namespaces = {shop("Warn")};
  const Decision decision = engine_of(configuration).decide({.object = pod()});
  CHECK(decision.allowed);
  REQUIRE(decision.steps.size() == 3);
  for (const auto& said : decision.steps) {
    CAPTURE(to_string(said.step.system));
    CHECK(said.step.mode == Mode::warn);
  }
}

TEST_CASE("a namespace that is not known enforces, and a denial says that it is not") {
  const Engine engine = engine_of(configuration_of(Mode::warn, NamespaceModes{Mode::warn}));
  const auto decide = [](const Engine& by) { return by.decide({.object = pod()}); };
  const Decision unknown = decide(engine);
  CHECK_FALSE(unknown.allowed);
  REQUIRE(unknown.unknown.size() == 1);
  CHECK(unknown.unknown[0].kind == "Namespace");
  CHECK(unknown.unknown[0].name == "shop");

  const Engine labelled = engine.with({.namespaces = {shop("Enforce")}});
  CHECK_FALSE(decide(labelled).allowed);
  CHECK(decide(labelled).unknown.empty());
  const Engine relabelled = labelled.with({.namespaces = {shop("Warn")}});
  CHECK(decide(relabelled).allowed);
  CHECK(decide(relabelled.with({.namespaces = {shop({})}})).allowed);
  CHECK_FALSE(decide(relabelled.without({.namespaces = {shop({})}})).allowed);
  CHECK_FALSE(decide(labelled).allowed);  // a value: what came after is not its own

  const Objects unreadable{.unreadable = {{.kind = "Namespace", .name = "shop"}}};
  CHECK_FALSE(decide(relabelled.with(unreadable)).allowed);
}

TEST_CASE("a label starts no system, and holds for the metadata of other objects") {
  Configuration configuration = configuration_of(Mode::enforce, NamespaceModes{Mode::warn});
  configuration.systems = {{System::metadata_policy}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "shop"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = LabelSelector{}},
                           .policy_action = {.reject = true}}}}}};
  for (const auto& [label, allowed] : {std::pair("Enforce", false), {"Warn", true}}) {
    configuration.objects.namespaces = {shop(label)};
    const Engine engine = engine_of(configuration);
    CHECK(engine.decide({.object = pod()}).steps.size() == 1);
    CHECK(engine
              .decide_metadata({.kind = "ConfigMap",
                                .scope = engine::Scope::namespace_,
                                .object = {.name = "c", .namespace_ = "shop"}})
              .allowed == allowed);
  }
}

}  // namespace namespace_modes_test
