// SPDX-License-Identifier: Apache-2.0
// What has to hold for every configuration, every order of the systems and every pod.
#include <schedpol/insight/impact.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
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
using testing::tries;

// Small vocabularies, so that objects and pods meet often; tolerations that cover one another,
// equal and unequal, above all.
class Generator : public schedpol::testing::Random {
 public:
  using Random::Random;

  Configuration configuration() {
    Configuration configuration;
    configuration.settings.policy_use = PolicyUse::every;
    std::vector<System> order(std::begin(engine::all_systems), std::end(engine::all_systems));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    for (const System system : order) {
      if (chance(75)) configuration.systems.push_back({system, mode()});
    }
    if (configuration.systems.empty()) configuration.systems.push_back({order.front()});
    auto& objects = configuration.objects;
    for (const char* name : {"kata", "gvisor"})
      objects.runtime_classes.push_back(runtime_class(name));
    for (std::size_t i = below(3); i > 0; --i)
      objects.pod_scheduling_policies.push_back(injected("inject-" + std::to_string(i)));
    objects.namespaces = {{{.name = "n"}}};
    if (chance(50)) objects.metadata_policies.push_back(metadata_policy());
    objects.scheduling_policies.push_back(scheduling_policy("a"));
    if (chance(30)) objects.scheduling_policies.push_back(scheduling_policy("b"));
    objects.resource_policies.push_back({.metadata = {.name = "r", .namespace_ = "n"}});
    if (chance(5))
      objects.resource_policies.push_back({.metadata = {.name = "s", .namespace_ = "n"}});
    return configuration;
  }

  Pod pod() {
    Pod pod;
    pod.kind = chance(80) ? PodKind::pod : PodKind::deployment;
    pod.metadata = {.name = "p", .namespace_ = "n"};
    if (chance(20)) {
      pod.metadata.owner_references = {
          {.kind = "App", .name = "a", .controller = pod.kind == PodKind::pod || chance(50)}};
    }
    if (chance(70)) pod.metadata.labels["app"] = pick({"x", "y"});
    if (chance(30)) pod.spec.scheduler_name = pick({"blue", "green", "default-scheduler"});
    if (chance(20)) pod.spec.priority_class_name = "gold";
    if (chance(40)) pod.spec.node_selector[pick({"disk", "zone"})] = pick({"1", "2"});
    pod.spec.tolerations = tolerations();
    if (chance(60)) pod.spec.runtime_class_name = pick({"kata", "gvisor"});
    if (chance(30)) pod.spec.affinity = affinity();
    return pod;
  }

  /// Who asks; for the DaemonSet controller it is a pod that is tied to a node.
  rbac::User requester(Pod& pod) {
    if (pod.kind != PodKind::pod || !chance(20)) return {.name = "user"};
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution = {{NodeSelectorTerm()}};
    if (chance(30)) {
      node.required_during_scheduling_ignored_during_execution->node_selector_terms = {term(),
                                                                                       term()};
    }
    for (NodeSelectorTerm& term :
         node.required_during_scheduling_ignored_during_execution->node_selector_terms) {
      term.match_fields = {
          {.key = "metadata.name", .operator_ = NodeSelectorOperator::in, .values = {"node-1"}}};
    }
    pod.spec.affinity = Affinity{.node_affinity = std::move(node)};
    pod.spec.tolerations = scheduling_policy::daemon_set_tolerations();
    return {.name = engine::Settings().daemon_set_controller};
  }

  /// What the API server has when some fields of the stored object are as the author wrote them
  /// and others as they are stored: what a client sends when it applies its manifest again.
  Pod applied(const Pod& stored, const Pod& author) {
    Pod pod = stored;
    if (chance(50)) pod.spec.tolerations = author.spec.tolerations;
    if (chance(50)) pod.spec.node_selector = author.spec.node_selector;
    if (chance(50)) pod.spec.affinity = author.spec.affinity;
    if (chance(50)) pod.spec.scheduler_name = author.spec.scheduler_name;
    if (chance(50)) pod.metadata.labels = author.metadata.labels;
    return pod;
  }

 private:
  Mode mode() {
    if (chance(85)) return Mode::enforce;
    return chance(50) ? Mode::warn : Mode::audit;
  }
  std::string pick(std::initializer_list<const char*> from) {
    return *(from.begin() + below(from.size()));
  }

  Toleration toleration() {
    Toleration toleration;
    if (chance(85)) toleration.key = pick({"gpu", "spot"});
    if (toleration.key.empty() || chance(50)) toleration.operator_ = TolerationOperator::exists;
    if (toleration.operator_ != TolerationOperator::exists) {
      toleration.value = pick({"1", "2"});
      if (chance(30)) toleration.operator_ = TolerationOperator::equal;
    }
    if (chance(50)) toleration.effect = TaintEffect::no_schedule;
    if (chance(20)) {
      toleration.effect = TaintEffect::no_execute;
      if (chance(50)) toleration.toleration_seconds = chance(50) ? 60 : 300;
    }
    return toleration;
  }
  std::vector<Toleration> tolerations() {
    std::vector<Toleration> list;
    for (std::size_t i = chance(40) ? 0 : below(4); i > 0; --i) list.push_back(toleration());
    return list;
  }
  NodeSelectorTerm term() {
    NodeSelectorTerm term;
    for (std::size_t i = 1 + below(2); i > 0; --i) {
      term.match_expressions.push_back(
          {.key = pick({"arch", "zone"}), .operator_ = NodeSelectorOperator::exists});
    }
    return term;
  }
  Affinity affinity() {
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution.emplace();
    for (std::size_t i = 1 + below(2); i > 0; --i) {
      node.required_during_scheduling_ignored_during_execution->node_selector_terms.push_back(
          term());
    }
    return {.node_affinity = std::move(node)};
  }

  runtime_class::RuntimeClass runtime_class(std::string name) {
    runtime_class::RuntimeClass runtime_class{.metadata = {.name = std::move(name)},
                                              .handler = "handler"};
    if (chance(30)) runtime_class.overhead = {{.pod_fixed = {{"cpu", *Quantity::parse("1")}}}};
    if (chance(20)) return runtime_class;
    runtime_class.scheduling.emplace();
    runtime_class.scheduling->tolerations = tolerations();
    if (chance(30)) runtime_class.scheduling->node_selector = {{"zone", "1"}};
    return runtime_class;
  }
  pod_scheduling_policy::PodSchedulingPolicy injected(std::string name) {
    pod_scheduling_policy::PodSchedulingPolicySpec spec;
    spec.pod_selector = LabelSelector{};
    if (chance(40)) spec.pod_selector->match_labels["app"] = "x";
    if (chance(30)) spec.scheduler_name = pick({"blue", "green"});
    if (chance(30)) spec.node_selector[pick({"disk", "zone"})] = pick({"1", "2"});
    spec.tolerations = tolerations();
    if (chance(30)) spec.affinity = affinity();
    if (chance(50)) return {.metadata = {.name = std::move(name), .namespace_ = "n"}, .spec = spec};
    spec.namespace_selector = LabelSelector{};
    if (chance(10)) spec.node_name = "node-2";
    return {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
            .metadata = {.name = std::move(name)},
            .spec = std::move(spec)};
  }
  /// Rules may look at what they write, and reject what only they may write.
  metadata_policy::MetadataPolicy metadata_policy() {
    metadata_policy::MetadataPolicy policy{
        .metadata = {.name = "m", .namespace_ = "n"},
        .spec = {
            .rules = {
                {.policy_predicate = {.label_selector = {{.match_labels = {{"app", "y"}}}}},
                 .policy_action = {.updated_labels = {{"seen", "yes"}},
                                   .updated_annotations = {{"scheduler.alpha.kubernetes.io/name",
                                                            pick({"blue", "green"})}}}}}}};
    const LabelSelector seen{
        .match_expressions = {{.key = "seen", .operator_ = LabelSelectorOperator::exists}}};
    if (chance(30)) {
      policy.spec.rules.push_back(
          {.policy_predicate = {.label_selector = seen}, .policy_action = {.reject = true}});
    }
    if (chance(30)) {
      policy.spec.rules.push_back({.policy_predicate = {.label_selector = seen},
                                   .policy_action = {.updated_labels = {{"app", "x"}}}});
    }
    return policy;
  }
  scheduling_policy::SchedulingPolicy scheduling_policy(std::string name) {
    scheduling_policy::SchedulingPolicySpec spec;
    spec.allowed.priority_class_names = any;
    if (chance(80)) spec.allowed.scheduler_names = any;
    if (chance(80)) spec.allowed.node_selectors = any;
    if (chance(80)) spec.allowed.affinities = any;
    if (chance(80)) {
      spec.allowed.tolerations = {{.keys = any, .operators = any, .values = any, .effects = any}};
    } else {
      spec.allowed.tolerations = {
          {.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
    }
    if (chance(10)) {
      spec.required.tolerations = {
          {.keys = {"spot"}, .operators = any, .values = any, .effects = any}};
    }
    if (chance(30)) spec.defaults.scheduler_name = pick({"blue", "green"});
    if (chance(30)) spec.defaults.node_selector = Labels{{"disk", "1"}};
    if (chance(40)) {
      spec.defaults.tolerations.emplace();
      for (std::size_t i = 1 + below(2); i > 0; --i)
        spec.defaults.tolerations->push_back({.toleration = toleration()});
    }
    if (chance(20)) spec.defaults.affinity = affinity();
    return {.metadata = {.name = std::move(name)}, .spec = std::move(spec)};
  }
};

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
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(20000)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
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
  CHECK(unchanged >= at_least(5000));
  CHECK(changed >= at_least(20000));
  CHECK(denied >= at_least(5000));
  CHECK(judged >= at_least(5000));
  CHECK(updated >= at_least(5000));
}

TEST_CASE("an impact is what deciding on each object by itself comes to") {
  int unchanged = 0;
  int changed = 0;
  int newly_denied = 0;
  int newly_allowed = 0;
  int shared = 0;
  for (std::uint32_t seed = 0; seed < std::uint32_t(tries(3000)); ++seed) {
    CAPTURE(seed);
    Generator generate(seed);
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
    std::vector<engine::Effect> told(objects.size(), engine::Effect::unchanged);
    for (const engine::ImpactGroup& group : found.groups) {
      shared += group.objects.size() > 1;
      CHECK(group.violations.empty() == (group.effect == engine::Effect::changed));
      CHECK(group.changes.empty() == (group.effect != engine::Effect::changed));
      for (const std::size_t i : group.objects) told[i] = group.effect;
    }
    CHECK(told == effects);
    unchanged += int(found.unchanged);
    changed += int(found.changed);
    newly_denied += int(found.newly_denied);
    newly_allowed += int(found.newly_allowed);
    CHECK(found.unchanged + found.changed + found.newly_denied + found.newly_allowed == 12);
  }
  CHECK(unchanged >= at_least(3000));
  CHECK(changed >= at_least(4000));
  CHECK(newly_denied >= at_least(1000));
  CHECK(newly_allowed >= at_least(1000));
  CHECK(shared >= at_least(1000));
}

}  // namespace engine_laws_test
