// SPDX-License-Identifier: Apache-2.0
// A template and its pods get one answer about tolerations, although the API server merges those of
// a pod with those of its RuntimeClass, and drops what others cover, before it asks, and although
// other webhooks give some of these to the pod again.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/runtime_class/admit.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace template_tolerations_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::System;
using pod_scheduling_policy::PodSchedulingPolicy;
using pod_scheduling_policy::PolicyKind;
using scheduling_policy::TolerationPattern;
using testing::at_least;
using testing::times;
using testing::tries;
using Code = ViolationCode;
using Tolerations = std::vector<Toleration>;

constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;

const Toleration any_gpu{.key = "gpu", .operator_ = exists};
const Toleration gpu_a{.key = "gpu", .value = "a", .effect = no_schedule};
const Toleration spot{.key = "spot", .operator_ = exists};
const TolerationPattern anything{any, any, any, any};
const TolerationPattern exactly_gpu_a{{"gpu"}, {TolerationOperator::equal}, {"a"}, {no_schedule}};
const TolerationPattern every_gpu{{"gpu"}, {exists}, any, any};
const TolerationPattern every_not_ready{{"node.kubernetes.io/not-ready"}, any, any, {no_execute}};
const TolerationPattern every_unreachable{
    {"node.kubernetes.io/unreachable"}, any, any, {no_execute}};
const TolerationPattern every_spot{{"spot"}, any, any, any};

/// A class, absent where it has no `scheduling`, and a policy of tolerations.
Configuration configuration_of(std::optional<Tolerations> of_class,
                               scheduling_policy::SchedulingPolicySpec spec) {
  Configuration made;
  made.systems = {{System::runtime_class}, {System::scheduling_policy}};
  made.settings.policy_use = PolicyUse::every;
  made.settings.options = engine::admission_options({});
  made.objects.namespaces = {{{.name = "n"}}};
  made.objects.runtime_classes = {{.metadata = {.name = "kata"}, .handler = "kata"}};
  if (of_class)
    made.objects.runtime_classes[0].scheduling.emplace().tolerations = *std::move(of_class);
  spec.allowed.scheduler_names = any;
  made.objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = std::move(spec)}};
  return made;
}

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  REQUIRE(engine->problems().empty());
  return *engine;
}

Pod template_with(Tolerations tolerations) {
  Pod made{.kind = PodKind::deployment, .metadata = {.name = "d", .namespace_ = "n"}};
  made.spec.runtime_class_name = "kata";
  made.spec.tolerations = std::move(tolerations);
  return made;
}

/// A policy that gives tolerations to every pod.
PodSchedulingPolicy injecting(PolicyKind kind, Tolerations tolerations) {
  PodSchedulingPolicy made{.kind = kind, .metadata = {.name = "p"}};
  made.spec.pod_selector.emplace();
  if (kind == PolicyKind::cluster_pod_scheduling_policy) {
    made.spec.namespace_selector.emplace();
  } else {
    made.metadata.namespace_ = "n";
  }
  made.spec.tolerations = std::move(tolerations);
  return made;
}

/// The pod of a template as webhooks see it: with the tolerations of DefaultTolerationSeconds, then
/// with its class.
Pod asked_about(Pod of_template, const Configuration& configuration) {
  of_template.kind = PodKind::pod;
  Tolerations& own = of_template.spec.tolerations;
  for (const Toleration& each : scheduling_policy::default_toleration_seconds()) {
    const bool is_there = std::any_of(own.begin(), own.end(), [&](const Toleration& other) {
      return (other.key.empty() || other.key == each.key) &&
             (other.effect == TaintEffect::unset || other.effect == no_execute);
    });
    if (!is_there) own.push_back(each);
  }
  return runtime_class::admit(std::move(of_template), configuration.objects.runtime_classes).pod;
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps)
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  return all;
}

TEST_CASE("a template is judged by the tolerations that its pods will have, and so are they") {
  struct Case {
    const char* name;
    std::optional<Tolerations> of_class;
    Tolerations own;
    std::vector<TolerationPattern> required{};
    std::vector<TolerationPattern> allowed{};
    Tolerations given{};
    std::vector<Code> wanted{};
  };
  const std::vector<Code> not_allowed = {Code::toleration_not_allowed};
  const std::vector<Code> missing = {Code::toleration_required};
  const Case cases[] = {
      {.name = "the class covers what nothing permits", .of_class = {{any_gpu}}, .own = {gpu_a}},
      {.name = "the class has none",
       .of_class = Tolerations{},
       .own = {gpu_a},
       .wanted = not_allowed},
      {.name = "the class has no scheduling",
       .of_class = std::nullopt,
       .own = {gpu_a},
       .wanted = not_allowed},
      {.name = "the pod's own covers what nothing permits",
       .of_class = Tolerations{},
       .own = {gpu_a, any_gpu},
       .allowed = {every_gpu}},
      {.name = "without scheduling nothing is merged",
       .of_class = std::nullopt,
       .own = {gpu_a, any_gpu},
       .allowed = {every_gpu},
       .wanted = not_allowed},
      {.name = "the class covers what is required",
       .of_class = {{any_gpu}},
       .own = {gpu_a},
       .required = {exactly_gpu_a}},
      {.name = "the class covers what is required, and nobody wrote it",
       .of_class = {{any_gpu}},
       .own = {},
       .required = {exactly_gpu_a}},
      {.name = "the second one of the class covers what is required",
       .of_class = {{spot, any_gpu}},
       .own = {},
       .required = {exactly_gpu_a}},
      {.name = "the class covers something else",
       .of_class = {{spot}},
       .own = {},
       .required = {exactly_gpu_a},
       .wanted = missing},
      {.name = "the pod's own covers what is required",
       .of_class = Tolerations{},
       .own = {gpu_a, any_gpu},
       .required = {exactly_gpu_a},
       .allowed = {anything},
       .wanted = missing},
      {.name = "the pod's own covers the class's, which is required",
       .of_class = {{gpu_a}},
       .own = {any_gpu},
       .required = {exactly_gpu_a},
       .allowed = {anything},
       .wanted = missing},
      {.name = "a default covers another one, which is required",
       .of_class = Tolerations{},
       .own = {},
       .required = {exactly_gpu_a},
       .given = {gpu_a, any_gpu},
       .wanted = missing},
      {.name = "the class covers a default, which is required",
       .of_class = {{any_gpu}},
       .own = {},
       .required = {exactly_gpu_a, every_spot},
       .given = {gpu_a, spot}},
      {.name = "the API server adds what is required",
       .of_class = std::nullopt,
       .own = {},
       .required = {every_not_ready, every_unreachable}},
      {.name = "the class covers all, so that the default is given",
       .of_class = {{any_gpu}},
       .own = {gpu_a},
       .required = {every_spot},
       .given = {spot}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    scheduling_policy::SchedulingPolicySpec spec;
    if (!c.required.empty()) spec.required.tolerations = c.required;
    spec.allowed.tolerations = c.allowed;
    for (const Toleration& each : c.given) {
      if (!spec.defaults.tolerations) spec.defaults.tolerations.emplace();
      spec.defaults.tolerations->push_back({.toleration = each});
    }
    const Configuration made = configuration_of(c.of_class, spec);
    const Engine engine = engine_of(made);
    const Decision decision = engine.decide({.object = template_with(c.own)});
    CHECK(codes(decision) == c.wanted);
    CHECK(decision.allowed == c.wanted.empty());
    const Decision of_pod = engine.decide({.object = asked_about(decision.pod, made)});
    CHECK(codes(of_pod) == c.wanted);
    if (!decision.allowed) continue;
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const Decision again = engine.decide({.object = decision.pod, .phase = phase});
      CHECK(again.allowed);
      CHECK(again.pod == decision.pod);
    }
  }
}

TEST_CASE("what is covered is judged where a policy gives it to the pods again") {
  using engine::Mode;
  struct Case {
    const char* name;
    std::vector<engine::Step> before;  ///< SchedulingPolicy is asked
    PolicyKind kind;
    Tolerations given;
    bool allowed;
  };
  const auto of_namespace = PolicyKind::pod_scheduling_policy;
  const engine::Step merging{System::runtime_class};
  const engine::Step warning_of_class{System::runtime_class, Mode::warn};
  const engine::Step giving{System::pod_scheduling_policy};
  const engine::Step warning{System::pod_scheduling_policy, Mode::warn};
  const Case cases[] = {
      {"a policy of the namespace", {merging, giving}, of_namespace, {gpu_a}, false},
      {"a policy of the cluster",
       {merging, giving},
       PolicyKind::cluster_pod_scheduling_policy,
       {gpu_a},
       true},
      {"a policy of the namespace that gives what is permitted",
       {merging, giving},
       of_namespace,
       {any_gpu},
       true},
      {"one that only warns", {merging, warning}, of_namespace, {gpu_a}, true},
      {"one before the class is merged", {giving, merging}, of_namespace, {gpu_a}, true},
      {"one before a class that only warns",
       {giving, warning_of_class},
       of_namespace,
       {gpu_a},
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Configuration made = configuration_of(Tolerations{spot}, {});
    made.objects.scheduling_policies[0].spec.allowed.tolerations = {every_gpu};
    made.systems = c.before;
    made.systems.push_back({System::scheduling_policy});
    made.objects.pod_scheduling_policies = {injecting(c.kind, c.given)};
    const Engine engine = engine_of(made);
    for (const Tolerations& own : {Tolerations{any_gpu}, Tolerations{any_gpu, gpu_a}}) {
      const Decision decision = engine.decide({.object = template_with(own)});
      CHECK(decision.allowed == c.allowed);
      CHECK(engine.decide({.object = asked_about(decision.pod, made)}).allowed == c.allowed);
    }
  }
}

TEST_CASE("a violation, a change and a fix name a toleration at its place in the template") {
  scheduling_policy::SchedulingPolicySpec spec;
  spec.allowed.tolerations = {every_gpu};
  const Engine engine = engine_of(configuration_of(Tolerations{any_gpu}, spec));
  const engine::Request request{.object = template_with({gpu_a, spot, gpu_a})};
  const Decision decision = engine.decide(request);
  REQUIRE(!decision.allowed);
  REQUIRE(decision.steps.back().violations.size() == 1);
  const FieldPath place = field_path(PodKind::deployment, {"spec", "tolerations"}).index(1);
  CHECK(decision.steps.back().violations[0].field == place);
  const engine::InsightAdviser adviser;
  const auto explained = adviser.explain(engine, request);
  CHECK(!explained.allowed);
  CHECK(std::any_of(explained.items.begin(), explained.items.end(), [&](const auto& item) {
    return item.field == place && item.ruling == scheduling_policy::Ruling::not_permitted;
  }));
  const std::vector<Change> fix = adviser.nearest_fix(engine, request, decision);
  REQUIRE(fix.size() == 1);
  CHECK(fix[0].field == place);
  CHECK(fix[0].from == to_string(spot));
  CHECK(!fix[0].to);
  const engine::Request of_two{.object = template_with({gpu_a, spot, gpu_a, {.key = "arm"}})};
  const std::vector<Change> both = adviser.nearest_fix(engine, of_two, engine.decide(of_two));
  REQUIRE(both.size() == 2);
  CHECK(both[0].field == place);
  CHECK(both[1].field == place.parent().index(3));

  spec.defaults.tolerations = {{.toleration = gpu_a}, {.toleration = spot}};
  const Engine giving = engine_of(configuration_of(Tolerations{any_gpu}, spec));
  const Decision given = giving.decide({.object = template_with({gpu_a})});
  REQUIRE(given.allowed);
  CHECK(given.pod.spec.tolerations == Tolerations{gpu_a, spot});
  REQUIRE(given.steps.back().changes.size() == 1);
  CHECK(given.steps.back().changes[0].field == place);
}

TEST_CASE("nothing is explained of what the API server will add to the pods") {
  for (const auto& of_class : {std::optional<Tolerations>(), std::optional(Tolerations{any_gpu})}) {
    CAPTURE(of_class.has_value());
    const Engine engine = engine_of(configuration_of(of_class, {}));
    const auto explained =
        engine::InsightAdviser().explain(engine, {.object = template_with({spot, gpu_a})});
    std::vector<FieldPath> fields;
    const FieldPath list = field_path(PodKind::deployment, {"spec", "tolerations"});
    for (const auto& item : explained.items)
      if (item.field.parent() == list) fields.push_back(item.field);
    CHECK(fields ==
          (of_class ? std::vector{list.index(0)} : std::vector{list.index(0), list.index(1)}));
  }
}

TEST_CASE(
    "an update of a template is denied for a toleration that its pods will have, and no other") {
  const Engine engine = engine_of(configuration_of(Tolerations{any_gpu}, {}));
  const auto update = [&](Tolerations from, Tolerations to, Phase phase) {
    return engine.decide({.operation = Operation::update,
                          .object = template_with(std::move(to)),
                          .old = Old(template_with(std::move(from))),
                          .phase = phase});
  };
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    CHECK(update({}, {gpu_a}, phase).allowed);
    CHECK(codes(update({}, {gpu_a, spot}, phase)) == std::vector{Code::toleration_not_allowed});
    CHECK(update({spot}, {gpu_a, spot}, phase).allowed);
  }
}

/// Tolerations that cover one another often, and what a class and a policy say of them.
class Generator : public testing::Random {
 public:
  using Random::Random;

  Configuration configuration() {
    scheduling_policy::SchedulingPolicySpec spec;
    if (const auto required = patterns(chance(50) ? 2 : 0); !required.empty())
      spec.required.tolerations = required;
    spec.allowed.tolerations = patterns(3);
    if (chance(20)) spec.allowed.tolerations = any;
    for (const Toleration& each : tolerations(chance(50) ? 2 : 0)) {
      if (!spec.defaults.tolerations) spec.defaults.tolerations.emplace();
      spec.defaults.tolerations->push_back({.toleration = each});
    }
    std::optional<Tolerations> of_class;
    if (chance(90)) of_class = tolerations(2);
    Configuration made = configuration_of(std::move(of_class), std::move(spec));
    if (chance(50)) std::swap(made.systems[0], made.systems[1]);
    // Who injects after SchedulingPolicy was asked is found by `analyze`.
    if (made.systems[1].system == System::scheduling_policy)
      made.systems.insert(made.systems.begin() + (chance(50) ? 1 : 0),
                          {System::pod_scheduling_policy});
    for (const PolicyKind kind :
         {PolicyKind::pod_scheduling_policy, PolicyKind::cluster_pod_scheduling_policy})
      if (chance(40))
        made.objects.pod_scheduling_policies.push_back(injecting(kind, tolerations(2)));
    return made;
  }
  Tolerations tolerations(std::size_t most) {
    Tolerations list;
    for (std::size_t i = below(most + 1); i > 0; --i) list.push_back(toleration());
    return list;
  }

 private:
  std::string pick(std::initializer_list<const char*> from) {
    return *(from.begin() + below(from.size()));
  }
  Toleration toleration() {
    Toleration made;
    if (chance(85)) made.key = pick({"gpu", "spot"});
    if (made.key.empty() || chance(50)) made.operator_ = exists;
    if (made.operator_ != exists) made.value = pick({"1", "2"});
    if (made.operator_ != exists && chance(30)) made.operator_ = TolerationOperator::equal;
    if (chance(50)) made.effect = no_schedule;
    if (chance(20)) {
      made.effect = no_execute;
      if (chance(50)) made.toleration_seconds = chance(50) ? 60 : 300;
    }
    return made;
  }
  TolerationPattern pattern() {
    TolerationPattern made = anything;
    if (chance(70)) made.keys = Texts{pick({"gpu", "spot"})};
    if (chance(40)) made.operators = {chance(50) ? TolerationOperator::equal : exists};
    if (chance(40)) made.values = Texts{pick({"1", "2"})};
    if (chance(20)) made.values = {};
    if (chance(40)) made.effects = {chance(50) ? no_schedule : no_execute};
    return made;
  }
  std::vector<TolerationPattern> patterns(std::size_t most) {
    std::vector<TolerationPattern> list;
    for (std::size_t i = below(most + 1); i > 0; --i) list.push_back(pattern());
    return list;
  }
};

TEST_CASE("law: a template and the pods that the API server makes of it get one answer") {
  int allowed = 0;
  int denied = 0;
  int covered = 0;
  int fixed = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(times(6000))); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
    const Configuration made = generate.configuration();
    const Engine engine = engine_of(made);
    engine::Request request{.object = template_with(generate.tolerations(3))};
    const Decision decision = engine.decide(request);
    const Pod pod = asked_about(decision.pod, made);
    CAPTURE(request.object.spec.tolerations);
    CAPTURE(pod.spec.tolerations);
    const Decision of_pod = engine.decide({.object = pod});
    REQUIRE(of_pod.allowed == decision.allowed);
    ++(decision.allowed ? allowed : denied);
    covered +=
        std::any_of(request.object.spec.tolerations.begin(), request.object.spec.tolerations.end(),
                    [&](const Toleration& each) {
                      return std::find(pod.spec.tolerations.begin(), pod.spec.tolerations.end(),
                                       each) == pod.spec.tolerations.end();
                    });
    const engine::InsightAdviser adviser;
    const auto explained = adviser.explain(engine, request);
    REQUIRE(explained.allowed == decision.allowed);
    std::vector<FieldPath> denying;
    for (const auto& item : explained.items)
      if (denies(item.ruling)) denying.push_back(item.field);
    std::vector<FieldPath> violated;
    for (const auto& said : decision.steps)
      for (const Violation& violation : said.violations) violated.push_back(violation.field);
    REQUIRE(denying == violated);
    if (decision.allowed) {
      const Decision again = engine.decide({.object = decision.pod});
      REQUIRE(again.allowed);
      REQUIRE(again.pod == decision.pod);
      REQUIRE(engine.decide({.object = decision.pod, .phase = Phase::validating}).allowed);
      REQUIRE(engine
                  .decide({.operation = Operation::update,
                           .object = request.object,
                           .old = Old(decision.pod),
                           .template_differs = true})
                  .pod == decision.pod);
      continue;
    }
    fixed += !adviser.nearest_fix(engine, request, decision).empty();
  }
  CHECK(allowed >= at_least(2000));
  CHECK(denied >= at_least(1500));
  CHECK(covered >= at_least(1500));
  CHECK(fixed >= at_least(1000));
}

}  // namespace template_tolerations_test
