// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pods and workloads that are stored, and stored again.

#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace updated_pods {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Operation;
using engine::PolicyUse;
using engine::System;

// Systems that change everything that can be changed: names, a node selector, tolerations, and
// affinities, below a rule that requires what it gives.
inline Configuration changing() {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.systems = {{System::runtime_class},
                           {System::metadata_policy},
                           {System::pod_scheduling_policy},
                           {System::scheduling_policy},
                           {System::resource_policy}};
  auto& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata"},
                              .handler = "kata",
                              .overhead = {{.pod_fixed = {{"cpu", *Quantity::parse("1")}}}},
                              .scheduling = {{.tolerations = {{.key = "sandboxed"}}}}}};
  objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "n"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"seen", "yes"}}}}}}}};
  NodeAffinity zones;
  zones.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = {
            {.key = "zone", .operator_ = NodeSelectorOperator::in, .values = {"a", "b"}}}}}};
  objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .node_selector = {{"pool", "shared"}},
                .tolerations = {{.key = "injected", .operator_ = TolerationOperator::exists}},
                .affinity = Affinity{.node_affinity = zones}}}};
  scheduling_policy::SchedulingPolicySpec spec;
  spec.required.scheduler_names = {"batch"};
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.allowed = {.scheduler_names = {"batch"},
                  .priority_class_names = any,
                  .node_selectors = any,
                  .tolerations = {{.keys = {"injected", "mine"}, .operators = any, .effects = any}},
                  .affinities = any};
  spec.defaults.scheduler_name = "batch";
  spec.defaults.node_selector = Labels{{"disk", "ssd"}};
  objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
  return configuration;
}

inline Pod manifest(PodKind kind) {
  Pod pod{.kind = kind, .metadata = {.name = "web", .namespace_ = "n", .labels = {{"app", "x"}}}};
  pod.spec.tolerations = {{.key = "mine", .operator_ = TolerationOperator::exists}};
  NodeAffinity arch;
  arch.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = {{.key = "arch", .operator_ = NodeSelectorOperator::exists}}}}};
  pod.spec.affinity = Affinity{.node_affinity = arch};
  return pod;
}

inline Decision created(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod});
}
inline Decision updated(const Engine& engine, const Pod& old, const Pod& pod) {
  return engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)});
}

}  // namespace updated_pods
