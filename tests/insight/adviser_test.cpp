// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/adviser.hpp>

#include "../support/configurations.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace adviser_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::InsightAdviser;
using engine::Operation;
using engine::System;
using testing::at_least;
using testing::times;
using testing::tries;

Engine engine_of(const Configuration& configuration) {
  const auto engine = engine::compile(configuration);
  REQUIRE(engine);
  return *engine;
}

// One policy that gives pods `batch` as their scheduler and permits that alone.
Configuration batch_only() {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "batch"}, .spec = {.defaults = {.scheduler_name = "batch"}}}};
  return configuration;
}

Pod pod_in(std::string namespace_) {
  return {.metadata = {.name = "p", .namespace_ = std::move(namespace_)}};
}

TEST_CASE("an explanation is of the engine's decision: what the cluster adds is exempt in it") {
  using scheduling_policy::Ruling;
  Configuration configuration = batch_only();
  configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = {{.node_selector = {{"sandbox", "kata"}}}}}};
  const Engine engine = engine_of(configuration);
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "kata";
  pod.spec.node_selector = {{"sandbox", "kata"}};
  const auto explanation = InsightAdviser().explain(engine, {.object = pod});
  CHECK(explanation.allowed == engine.decide({.object = pod}).allowed);
  REQUIRE(explanation.items.size() == 3);
  CHECK(explanation.items[0].ruling == Ruling::defaulted);
  CHECK(explanation.items[1].ruling == Ruling::exempt);
  CHECK(explanation.items[2].ruling == Ruling::ungoverned);
  CHECK(explanation.items[2].field == FieldPath{"spec", "runtimeClassName"});
  pod.spec.node_selector = {{"sandbox", "other"}};
  CHECK_FALSE(InsightAdviser().explain(engine, {.object = pod}).allowed);

  configuration.systems = {{System::runtime_class}};
  CHECK_FALSE(InsightAdviser().explain(engine_of(configuration), {.object = pod}).allowed);
  CHECK(InsightAdviser().explain(engine_of(configuration), {.object = pod}).items.empty());
  CHECK_FALSE(InsightAdviser().explain(Engine(), {.object = pod}).allowed);
  CHECK(InsightAdviser().find_ungoverned(Engine(), {.object = pod}).empty());
}

TEST_CASE("an explanation is of the pod that earlier systems made, in every order of them") {
  using Items = std::vector<std::pair<FieldPath, std::string>>;
  int denied = 0;
  int given = 0;
  int updated = 0;
  int in_rounds = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(times(4000))); ++seed) {
    CAPTURE(seed);
    testing::ClusterGenerator generate(seed);
    const Engine engine = engine_of(generate.configuration());
    for (int i = 0; i < 3; ++i) {
      engine::Request request{.object = generate.pod()};
      request.requester = generate.requester(request.object);
      if (generate.chance(20)) request.phase = engine::Phase::validating;
      if (generate.chance(20)) {
        request.old = Old(request.object);
        request.object = generate.applied(request.object, generate.pod());
        request.object.kind = request.old.object.kind;
        request.operation = Operation::update;
      }
      CAPTURE(request.object);
      const Decision decision = engine.decide(request);
      const auto explanation = InsightAdviser().explain(engine, request);
      const engine::StepDecision* said = nullptr;
      for (const engine::StepDecision& step : decision.steps)
        if (step.step.system == System::scheduling_policy) said = &step;
      Items denying;
      std::vector<FieldPath> defaulted;
      for (const auto& item : explanation.items) {
        if (denies(item.ruling)) denying.emplace_back(item.field, item.value);
        if (item.ruling == scheduling_policy::Ruling::defaulted) defaulted.push_back(item.field);
      }
      Items violations;
      if (said != nullptr)
        for (const Violation& each : said->violations)
          violations.emplace_back(each.field, each.value);
      CHECK(denying == violations);
      if (said != nullptr) CHECK(explanation.allowed == violations.empty());
      denied += !violations.empty();
      if (said == nullptr || !decision.allowed || !violations.empty()) continue;
      updated += request.operation == Operation::update;
      if (request.operation == Operation::update && request.object.kind == PodKind::pod) continue;
      std::vector<FieldPath> changed;
      for (const Change& change : said->changes) changed.push_back(change.field);
      std::sort(changed.begin(), changed.end());
      std::sort(defaulted.begin(), defaulted.end());
      CHECK(defaulted == changed);
      given += !changed.empty();
      in_rounds +=
          !changed.empty() && decision.steps.front().step.system != System::scheduling_policy;
    }
  }
  CHECK(denied >= at_least(300));
  CHECK(given >= at_least(300));
  CHECK(updated >= at_least(300));
  CHECK(in_rounds >= at_least(100));
}

TEST_CASE("what a user creates and is denied has a nearest fix, and nothing else has one") {
  const Engine engine = engine_of(batch_only());
  const Pod pod{.metadata = {.name = "p", .namespace_ = "n"}, .spec = {.scheduler_name = "own"}};
  const engine::Request request{.object = pod};
  const Decision denial = engine.decide(request);
  REQUIRE(!denial.allowed);
  const std::vector<Change> fix = InsightAdviser().nearest_fix(engine, request, denial);
  REQUIRE(fix.size() == 1);
  CHECK(to_string(fix[0].field) == "spec.schedulerName");
  CHECK(fix[0].from == "own");
  CHECK(engine::Adviser().nearest_fix(engine, request, denial).empty());

  engine::Request of_controller = request;
  of_controller.requester.name = engine.daemon_set_controller();
  const engine::Request update{
      .operation = Operation::update, .object = pod, .old = Old(pod_in("n"))};
  const Pod other = pod_in("n");
  CHECK(InsightAdviser().nearest_fix(engine, of_controller, denial).empty());
  CHECK(InsightAdviser().nearest_fix(engine, update, denial).empty());
  CHECK(InsightAdviser()
            .nearest_fix(engine, {.object = other}, engine.decide({.object = other}))
            .empty());
  CHECK(InsightAdviser().nearest_fix(engine, request, Decision()).empty());
  CHECK(InsightAdviser().nearest_fix(Engine(), request, denial).empty());
  // Nor has what is not denied for it, whoever asks.
  Configuration warning = batch_only();
  warning.systems = {{System::scheduling_policy, engine::Mode::warn}};
  const Engine warns = engine_of(warning);
  const Decision warned = warns.decide(request);
  REQUIRE(warned.allowed);
  REQUIRE(!warned.steps.back().violations.empty());
  CHECK(InsightAdviser().nearest_fix(warns, request, warned).empty());
  // One that was moved from knows nothing.
  Engine moved = engine;
  const Engine taken = std::move(moved);
  engine::Request of_user = request;
  of_user.requester.name = "somebody";
  CHECK(InsightAdviser().nearest_fix(moved, of_user, denial).empty());
  CHECK(InsightAdviser().explain(moved, {.object = pod}).items.empty());
  CHECK(InsightAdviser().warnings(moved, {.metadata_policies = {{}}}).empty());
  CHECK(InsightAdviser().nearest_fix(taken, of_user, denial) == fix);

  // Of another scheduler another system knows nothing.
  Configuration of_classes;
  of_classes.systems = {{System::runtime_class}};
  const Engine classes = engine_of(of_classes);
  Pod sandboxed = pod_in("n");
  sandboxed.spec.runtime_class_name = "kata";
  const engine::Request unknown{.object = sandboxed};
  const Decision unknown_class = classes.decide(unknown);
  CHECK(!unknown_class.allowed);
  CHECK(InsightAdviser().nearest_fix(classes, unknown, unknown_class).empty());

  // What another system denies has none either, whatever SchedulingPolicy would say of it.
  Configuration both = batch_only();
  both.systems = {{System::runtime_class}, {System::scheduling_policy}};
  both.objects.runtime_classes = {{.metadata = {.name = "kata"},
                                   .handler = "kata",
                                   .scheduling = {{.node_selector = {{"sandbox", "kata"}}}}}};
  sandboxed.spec.node_selector = {{"sandbox", "other"}};
  const engine::Request contradicting{.object = sandboxed};
  const Decision by_class = engine_of(both).decide(contradicting);
  REQUIRE(!by_class.allowed);
  CHECK(by_class.steps.back().step.system == System::runtime_class);
  CHECK(InsightAdviser().nearest_fix(engine_of(both), contradicting, by_class).empty());
  // Nor is it explained what SchedulingPolicy was not asked, in either phase.
  for (const auto phase : {engine::Phase::mutating, engine::Phase::validating}) {
    const auto explanation =
        InsightAdviser().explain(engine_of(both), {.object = sandboxed, .phase = phase});
    CHECK_FALSE(explanation.allowed);
    CHECK(explanation.items.empty());
  }
}

TEST_CASE("a denial has no fix where somebody would wait for it") {
  using namespace scheduling_policy;
  const auto names = [](std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count) all.push_back("k" + std::to_string(all.size()));
    return Texts(std::move(all));
  };
  const auto has_fix = [](const SchedulingPolicySpec& spec, const PodSpec& asked) {
    Configuration configuration = batch_only();
    configuration.objects.scheduling_policies[0].spec = spec;
    const Engine engine = engine_of(configuration);
    engine::Request request{.object = pod_in("n")};
    request.object.spec = asked;
    const Decision denial = engine.decide(request);
    REQUIRE_FALSE(denial.allowed);
    return !InsightAdviser().nearest_fix(engine, request, denial).empty();
  };
  PodSpec asks;
  asks.scheduler_name = "own";
  SchedulingPolicySpec permits;
  permits.defaults.scheduler_name = "batch";
  for (const std::size_t many : {100, 4'000}) {
    CAPTURE(many);
    SchedulingPolicySpec of_names = permits;
    of_names.allowed.scheduler_names = names(many);
    CHECK(has_fix(of_names, asks) == (many == 100));
    PodSpec tolerates;
    tolerates.tolerations.resize(many / 4, {.key = "k"});
    CHECK(has_fix(permits, tolerates) == (many == 100));
  }
}

TEST_CASE("warnings are the findings that are no mere information, and how many more there are") {
  const Engine engine = engine_of(batch_only());
  for (const std::size_t values : {2, 11, 12, 20}) {
    CAPTURE(values);
    metadata_policy::MetadataPolicy policy{.metadata = {.name = "m", .namespace_ = "n"}};
    for (std::size_t i = 0; i < values; ++i)
      policy.spec.rules.push_back(
          {.policy_action = {.updated_labels = {{"a", std::to_string(i)}}}});
    engine::Objects written;
    written.metadata_policies = {policy};
    const std::vector<std::string> warnings = InsightAdviser().warnings(engine, written);
    const std::size_t found = values - 1;  // each writes another value than the first
    REQUIRE(warnings.size() == std::min(found, max_finding_warnings + 1));
    CHECK(warnings[0].starts_with("MetadataPolicy: `n/m`: "));
    CHECK(engine::Adviser().warnings(engine, written).empty());
    CHECK(InsightAdviser().warnings(Engine(), written).empty());
    if (found > max_finding_warnings)
      CHECK(warnings.back() == "and " + std::to_string(found - max_finding_warnings) + " more");
  }
}

TEST_CASE("what was not looked at of a written policy is said in one warning, after all others") {
  Configuration configuration = batch_only();
  const auto label = [](const std::string& value) {
    return metadata_policy::PolicyPredicate{
        .label_selector =
            LabelSelector{.match_expressions = {{"app", LabelSelectorOperator::not_in, {value}}}}};
  };
  // Rules that each might write to the same objects.
  for (int i = 0; i < 60; ++i) {
    metadata_policy::MetadataPolicy stored{
        .metadata = {.name = "m" + std::to_string(i), .namespace_ = "n"}};
    for (int j = 0; j < 500; ++j)
      stored.spec.rules.push_back({.policy_predicate = label(std::to_string(i * 500 + j)),
                                   .policy_action = {.reject = true}});
    configuration.objects.metadata_policies.push_back(std::move(stored));
  }
  const Engine engine = engine_of(configuration);
  metadata_policy::MetadataPolicy policy{.metadata = {.name = "p", .namespace_ = "n"}};
  policy.spec.rules = {{.policy_predicate = label("x"),
                        .policy_action = {.reject = true, .updated_labels = {{"a", "1"}}}},
                       {.policy_action = {.updated_labels = {{"a", "1"}}}}};
  const auto warnings = InsightAdviser().warnings(engine, {.metadata_policies = {policy}});
  REQUIRE(warnings.size() >= 1);
  CHECK(warnings.back().starts_with("MetadataPolicy: too much to compare"));
  CHECK(std::count_if(warnings.begin(), warnings.end(), [](const std::string& warning) {
          return warning.find("too much") != std::string::npos;
        }) == 1);
}

}  // namespace adviser_test
