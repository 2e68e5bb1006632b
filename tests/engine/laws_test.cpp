// SPDX-License-Identifier: Apache-2.0
// What has to hold for every configuration, every order of the systems and every pod.
#include <schedpol/insight/impact.hpp>

#include <schedpol/insight/analyze.hpp>

#include "../support/configurations.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace engine_laws_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Mode;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::Step;
using engine::System;
using testing::at_least;
using testing::ClusterGenerator;
using testing::times;
using testing::tries;

/// The same cluster without what its namespaces have of policies that write into pods.
Configuration without_namespaced_policies(Configuration configuration) {
  std::erase_if(configuration.objects.pod_scheduling_policies, [](const auto& policy) {
    return policy.kind == pod_scheduling_policy::PolicyKind::pod_scheduling_policy;
  });
  configuration.objects.metadata_policies.clear();
  return configuration;
}

TEST_CASE("the answer to what an answer makes is allowed, unchanged, and the last word") {
  int unchanged = 0;
  int changed = 0;
  int denied = 0;
  int judged = 0;
  int updated = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(times(tries(4000))); ++seed) {
    CAPTURE(seed);
    ClusterGenerator generate(seed);
    const Configuration configuration = generate.configuration();
    const auto engine = compile(configuration);
    REQUIRE(engine);
    const auto without = compile(without_namespaced_policies(configuration));
    REQUIRE(without);
    for (int i = 0; i < 3; ++i) {
      Pod pod = generate.pod();
      const rbac::User requester = generate.requester(pod);
      const Decision answer = engine->decide({.object = pod, .requester = requester});
      if (!answer.allowed) {
        CHECK(answer.pod == pod);
        ++denied;
        continue;
      }
      ++(answer.pod == pod ? unchanged : changed);
      const Decision again = engine->decide({.object = answer.pod, .requester = requester});
      CHECK(again.allowed);
      CHECK(again.pod == answer.pod);
      for (const auto& said : again.steps)
        if (said.step.mode == Mode::enforce) CHECK(said.changes.empty());
      if (pod.kind != PodKind::pod) {
        const auto stored_again = [&](const Pod& object) {
          return engine->decide({.operation = Operation::update,
                                 .object = object,
                                 .old = Old(answer.pod),
                                 .template_differs = true});
        };
        const Decision replaced = stored_again(pod);
        CHECK(replaced.allowed);
        CHECK(replaced.pod == answer.pod);
        const Decision as_stored = stored_again(answer.pod);
        CHECK(as_stored.allowed);
        CHECK(as_stored.pod == answer.pod);
        const Decision applied = stored_again(generate.applied(answer.pod, pod));
        CHECK(applied.allowed);
        CHECK(applied.pod == answer.pod);
        ++updated;
      }
      // Nobody gains more by an object in a namespace than by writing the same into the pod, which
      // is judged as it stands: a RuntimeClass drops tolerations that it covers from what is
      // written.
      CHECK(without
                ->decide({.object = answer.pod, .requester = requester, .phase = Phase::validating})
                .allowed);
      ++judged;
      CHECK(
          engine->decide({.object = answer.pod, .requester = requester, .phase = Phase::validating})
              .allowed);
      CHECK(engine
                ->decide({.operation = Operation::update,
                          .object = answer.pod,
                          .old = Old(pod),
                          .requester = requester})
                .allowed);
    }
  }
  CHECK(unchanged >= at_least(1000));
  CHECK(changed >= at_least(4000));
  CHECK(denied >= at_least(1000));
  CHECK(judged >= at_least(1000));
  CHECK(updated >= at_least(1000));
}

TEST_CASE("an impact is what deciding on each object by itself comes to") {
  int unchanged = 0;
  int changed = 0;
  int newly_denied = 0;
  int newly_allowed = 0;
  int shared = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(times(tries(750))); ++seed) {
    CAPTURE(seed);
    ClusterGenerator generate(seed);
    const auto before = compile(generate.configuration());
    const auto after = compile(generate.configuration());
    REQUIRE(before);
    REQUIRE(after);
    std::vector<Pod> templates;
    std::vector<rbac::User> requesters;
    for (int i = 0; i < 3; ++i)
      requesters.push_back(generate.requester(templates.emplace_back(generate.pod())));
    std::vector<Pod> objects;
    std::vector<engine::Effect> effects;
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t which = generate.below(3);
      Pod object = templates[which];
      const bool of_daemon_set = requesters[which].name != "user";
      const Decision was = before->decide({.object = object, .requester = requesters[which]});
      const Decision will_be = after->decide({.object = object, .requester = requesters[which]});
      engine::Effect& effect = effects.emplace_back(engine::Effect::unchanged);
      if (was.allowed && !will_be.allowed) effect = engine::Effect::newly_denied;
      if (!was.allowed && will_be.allowed) effect = engine::Effect::newly_allowed;
      if (was.allowed && will_be.allowed && was.pod != will_be.pod)
        effect = engine::Effect::changed;
      object.metadata.name = "p-" + std::to_string(i);
      if (of_daemon_set || (object.kind == PodKind::pod && generate.chance(50))) {
        const std::string owner = "o-" + std::to_string(generate.below(3));
        object.metadata.owner_references = {
            {.kind = of_daemon_set ? "DaemonSet" : "App", .name = owner, .controller = true}};
      }
      if (object.kind == PodKind::pod && generate.chance(50)) {
        object.spec.node_name = "node-" + std::to_string(i);
        object.status.phase = "Running";
      }
      objects.push_back(std::move(object));
    }
    const engine::Impact found = impact(*before, *after, objects);
    std::vector<engine::Effect> found_effects(objects.size(), engine::Effect::unchanged);
    for (const engine::ImpactGroup& group : found.groups) {
      shared += group.objects.size() > 1;
      CHECK(group.violations.empty() == (group.effect == engine::Effect::changed));
      CHECK(group.changes.empty() == (group.effect != engine::Effect::changed));
      for (const std::size_t i : group.objects) found_effects[i] = group.effect;
    }
    CHECK(found_effects == effects);
    unchanged += int(found.unchanged);
    changed += int(found.changed);
    newly_denied += int(found.newly_denied);
    newly_allowed += int(found.newly_allowed);
    CHECK(found.unchanged + found.changed + found.newly_denied + found.newly_allowed == 12);
  }
  CHECK(unchanged >= at_least(750));
  CHECK(changed >= at_least(1000));
  CHECK(newly_denied >= at_least(250));
  CHECK(newly_allowed >= at_least(250));
  CHECK(shared >= at_least(250));
}

TEST_CASE("whatever order objects come in, the answers are the same") {
  int denied = 0;
  int problems = 0;
  int ambiguous = 0;
  std::size_t findings = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(times(1500))); ++seed) {
    CAPTURE(seed);
    ClusterGenerator generate(seed);
    Configuration configuration = generate.configuration();
    auto& objects = configuration.objects;
    // More of each kind, namesakes among them, and such as cannot be used.
    const engine::Objects more = generate.configuration().objects;
    const auto add = [&](auto& list, const auto& from) {
      for (auto object : from) {
        if (generate.chance(50)) object.metadata.name += "-more";
        list.push_back(std::move(object));
      }
    };
    add(objects.runtime_classes, more.runtime_classes);
    add(objects.metadata_policies, more.metadata_policies);
    add(objects.pod_scheduling_policies, more.pod_scheduling_policies);
    add(objects.scheduling_policies, more.scheduling_policies);
    add(objects.resource_policies, more.resource_policies);
    for (auto& policy : objects.scheduling_policies)
      if (generate.chance(5)) policy.spec.required.scheduler_names = any;
    for (auto& policy : objects.resource_policies)
      if (generate.chance(5)) policy.spec.units = {{.priority = -1}};
    for (auto& policy : objects.pod_scheduling_policies)
      if (generate.chance(5)) policy.spec.pod_selector->match_labels["?"] = "";
    Configuration shuffled = configuration;
    for_each_list(shuffled.objects,
                  [&](auto& list, engine::ObjectKinds) { generate.shuffle(list); });
    const auto engine = compile(configuration);
    const auto other = compile(shuffled);
    REQUIRE(engine);
    REQUIRE(other);
    CHECK(engine->problems() == other->problems());
    problems += !engine->problems().empty();
    if (seed % 11 == 0) {  // it takes a while
      const auto found = analyze(configuration);
      CHECK(found == analyze(shuffled));
      findings += found.size();
    }
    for (int i = 0; i < 3; ++i) {
      engine::Request request{.object = generate.pod()};
      request.requester = generate.requester(request.object);
      if (generate.chance(20)) request.phase = Phase::validating;
      const Decision decision = engine->decide(request);
      CHECK(decision == other->decide(request));
      denied += !decision.allowed;
      for (const engine::StepDecision& said : decision.steps)
        for (const Violation& violation : said.violations)
          ambiguous += violation.code == ViolationCode::multiple_resource_policies;
    }
  }
  CHECK(denied >= at_least(500));
  CHECK(problems >= at_least(200));
  CHECK(ambiguous >= at_least(20));
  CHECK(findings >= std::size_t(at_least(100)));
}

}  // namespace engine_laws_test
