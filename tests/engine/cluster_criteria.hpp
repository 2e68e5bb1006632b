// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pool of nodes that the policies of a cluster give pods to.

#include <schedpol/core/limits.hpp>
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cluster_criteria_cases {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::PolicyUse;
using engine::System;
using pod_scheduling_policy::PodSchedulingPolicy;
using pod_scheduling_policy::PolicyKind;

inline Affinity required_node(std::vector<NodeSelectorRequirement> expressions) {
  NodeAffinity node;
  node.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = std::move(expressions)}}};
  return {.node_affinity = std::move(node)};
}
inline NodeSelectorRequirement in(std::string key, std::string value) {
  return {
      .key = std::move(key), .operator_ = NodeSelectorOperator::in, .values = {std::move(value)}};
}

// A pool of nodes for etcd, which its policy gives to whatever carries the label.
inline PodSchedulingPolicy etcd_pool(PolicyKind kind = PolicyKind::cluster_pod_scheduling_policy) {
  Affinity affinity = required_node({in("pool", "etcd")});
  affinity.pod_anti_affinity =
      PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                      {.weight = 10, .pod_affinity_term = {.topology_key = "zone"}}}};
  return {.kind = kind,
          .metadata = {.name = "etcd-pool",
                       .namespace_ = kind == PolicyKind::pod_scheduling_policy ? "n" : ""},
          .spec = {.namespace_selector = LabelSelector{},
                   .pod_selector = LabelSelector{.match_labels = {{"app", "etcd"}}},
                   .scheduler_name = "etcd-scheduler",
                   .node_selector = {{"disk", "nvme"}},
                   .tolerations = {{.key = "etcd", .operator_ = TolerationOperator::exists}},
                   .affinity = std::move(affinity)}};
}

inline scheduling_policy::SchedulingPolicy restricted() {
  return {.metadata = {.name = "restricted"},
          .spec = {.allowed = {.scheduler_names = {"default-scheduler"}}}};
}

inline Configuration configuration(PodSchedulingPolicy pool = etcd_pool()) {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.systems = {{System::runtime_class},
                           {System::metadata_policy},
                           {System::pod_scheduling_policy},
                           {System::scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {std::move(pool)};
  configuration.objects.scheduling_policies = {restricted()};
  configuration.objects.namespaces = {{{.name = "n"}}};
  return configuration;
}

inline Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

inline Pod etcd(PodKind kind = PodKind::pod) {
  return {.kind = kind,
          .metadata = {.name = "etcd", .namespace_ = "n", .labels = {{"app", "etcd"}}}};
}

}  // namespace cluster_criteria_cases
