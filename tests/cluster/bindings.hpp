// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes, and the pods that are bound to them.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/pod_affinity.hpp>

#include "../support/path.hpp"
#include "../support/plain_spread.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bindings {

using namespace schedpol;

inline ResourceList amounts(const char* cpu, const char* memory, const char* pods = "110") {
  return {{"cpu", *Quantity::parse(cpu)},
          {"memory", *Quantity::parse(memory)},
          {"pods", *Quantity::parse(pods)}};
}

inline Node node(std::string name, Labels labels, ResourceList allocatable = amounts("4", "8Gi")) {
  Node made;
  made.metadata = {.name = std::move(name), .labels = std::move(labels)};
  made.status.allocatable = std::move(allocatable);
  return made;
}

// Two zones of two hosts, and a host in none.
inline const std::vector<Node> nodes = {
    node("a1", {{"zone", "a"}, {"host", "a1"}}), node("a2", {{"zone", "a"}, {"host", "a2"}}),
    node("b1", {{"zone", "b"}, {"host", "b1"}}), node("b2", {{"zone", "b"}, {"host", "b2"}}),
    node("lone", {{"host", "lone"}})};

inline Pod pod(std::string name, Labels labels = {}, std::string namespace_ = "shop") {
  Pod made;
  made.metadata = {
      .name = std::move(name), .namespace_ = std::move(namespace_), .labels = std::move(labels)};
  return made;
}

inline Pod with(Pod made, Affinity affinity) {
  made.spec.affinity = std::move(affinity);
  return made;
}

inline PodAffinityTerm near(std::string key, std::string app) {
  return {.label_selector = LabelSelector{.match_labels = {{"app", std::move(app)}}},
          .topology_key = std::move(key)};
}

using Terms = std::vector<PodAffinityTerm>;
inline Affinity beside(Terms terms) {
  return {.pod_affinity =
              PodAffinity{.required_during_scheduling_ignored_during_execution = std::move(terms)}};
}
inline Affinity apart(Terms terms) {
  return {.pod_anti_affinity =
              PodAffinity{.required_during_scheduling_ignored_during_execution = std::move(terms)}};
}

using Binding = std::pair<Pod, std::string>;
inline BoundPods bound(const std::vector<Binding>& bindings,
                       const std::vector<Namespace>& namespaces = {}) {
  BoundPods pods(nodes, namespaces);
  for (const auto& [one, on] : bindings) REQUIRE(pods.bind(one, on).empty());
  return pods;
}

inline PodFit fit(const BoundPods& pods, const Pod& pod) {
  const auto fit = pods.fit(pod);
  REQUIRE(fit);
  return *fit;
}

inline Pod asking(std::string name, const char* cpu, const char* memory) {
  Pod made = pod(std::move(name));
  made.spec.containers = {{.resources = {.requests = {{"cpu", *Quantity::parse(cpu)},
                                                      {"memory", *Quantity::parse(memory)}}}}};
  return made;
}

inline WeightedPodAffinityTerm weighted(std::int32_t weight, PodAffinityTerm term) {
  return {.weight = weight, .pod_affinity_term = std::move(term)};
}

using Weighted = std::vector<WeightedPodAffinityTerm>;

inline const Weighted& preferred(const std::optional<PodAffinity>& affinity) {
  static const Weighted none;
  return affinity ? affinity->preferred_during_scheduling_ignored_during_execution : none;
}

/// Of cpu and of memory what the pod counts with where allocation is scored.
inline std::array<std::int64_t, 2> scored(const Pod& one) {
  PodSpec spec = one.spec;
  for (auto* const containers : {&spec.init_containers, &spec.containers}) {
    for (Container& container : *containers) {
      const auto& [requests, limits] =
          std::tie(container.resources.requests, container.resources.limits);
      if (!limits.contains("cpu")) requests.try_emplace("cpu", *Quantity::parse("100m"));
      if (!limits.contains("memory")) requests.try_emplace("memory", *Quantity::parse("200Mi"));
    }
  }
  const Resources all = requests(spec);
  return {all.milli_cpu, all.memory};
}

}  // namespace bindings
