// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Configurations of all systems, in any order and mode, and pods and requesters to ask them about.

#include <schedpol/engine/configuration.hpp>

#include "random.hpp"

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::testing {

/// Small vocabularies, so that objects and pods meet often; tolerations that cover one another,
/// equal and unequal, above all.
class ClusterGenerator : public Random {
 public:
  using Random::Random;

  engine::Configuration configuration() {
    engine::Configuration configuration;
    configuration.settings.policy_use = engine::PolicyUse::every;
    std::vector<engine::System> order(std::begin(engine::all_systems),
                                      std::end(engine::all_systems));
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    for (const engine::System system : order) {
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
  engine::Mode mode() {
    if (chance(85)) return engine::Mode::enforce;
    return chance(50) ? engine::Mode::warn : engine::Mode::audit;
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

}  // namespace schedpol::testing
