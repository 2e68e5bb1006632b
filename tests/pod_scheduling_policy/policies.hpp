// SPDX-License-Identifier: Apache-2.0
#pragma once

// The policies, pods and terms that tests of PodSchedulingPolicy speak of.

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/reasons.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

using testing::operator""_path;

using schedpol::testing::List;
using schedpol::testing::reasons;
using Policies = std::vector<PodSchedulingPolicy>;
using Changes = std::vector<Change>;
using Terms = std::vector<NodeSelectorTerm>;
using Tolerations = std::vector<Toleration>;

inline constexpr auto cluster = PolicyKind::cluster_pod_scheduling_policy;
inline constexpr auto exists = TolerationOperator::exists;
inline constexpr auto equal = TolerationOperator::equal;
inline constexpr auto no_schedule = TaintEffect::no_schedule;
inline constexpr auto none = std::nullopt;

inline const LabelSelector everything = {};
inline const Namespace team_a = {{.name = "team-a", .labels = {{"env", "prod"}}}};

inline LabelSelector labelled(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}

inline LabelSelector where(std::string key, OpenEnum<LabelSelectorOperator> op, Texts values = {}) {
  return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}};
}

/// A policy of namespace team-a that selects every pod.
inline PodSchedulingPolicy of_team_a(std::string name, PodSchedulingPolicySpec spec) {
  spec.pod_selector = everything;
  return {.metadata = {.name = std::move(name), .namespace_ = "team-a"}, .spec = std::move(spec)};
}

/// A policy of the cluster that selects every pod of every namespace.
inline PodSchedulingPolicy of_cluster(std::string name, PodSchedulingPolicySpec spec) {
  spec.pod_selector = everything;
  spec.namespace_selector = everything;
  return {.kind = cluster, .metadata = {.name = std::move(name)}, .spec = std::move(spec)};
}

inline Pod pod_of(PodSpec spec) {
  return {.metadata = {.name = "web", .namespace_ = "team-a", .labels = {{"app", "web"}}},
          .spec = std::move(spec)};
}

inline Injection injected(const Pod& pod, const Policies& policies) {
  return inject(pod, team_a, policies);
}

/// So many tolerations, no two of them equal.
inline Tolerations tolerations(std::size_t count, const std::string& key = "key") {
  Tolerations all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({.key = key + std::to_string(i), .operator_ = exists});
  return all;
}

// Expressions and terms.

inline NodeSelectorRequirement has(std::string key) {
  return {std::move(key), NodeSelectorOperator::exists, {}};
}
inline NodeSelectorRequirement in(std::string key, Texts values) {
  return {std::move(key), NodeSelectorOperator::in, std::move(values)};
}
inline NodeSelectorRequirement not_in(std::string key, Texts values) {
  return {std::move(key), NodeSelectorOperator::not_in, std::move(values)};
}
inline NodeSelectorRequirement is_node(std::string name) {
  return in("metadata.name", {name});
}
inline NodeSelectorRequirement is_not_node(std::string name) {
  return not_in("metadata.name", {name});
}
inline NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions,
                             std::vector<NodeSelectorRequirement> fields = {}) {
  return {.match_expressions = std::move(expressions), .match_fields = std::move(fields)};
}

/// As many terms, no two of them equal.
inline Terms numbered(const std::string& key, std::size_t count) {
  Terms terms;
  for (std::size_t i = 0; i < count; ++i) terms.push_back(term({has(key + std::to_string(i))}));
  return terms;
}

inline Affinity required(Terms terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}

inline const Terms& required_terms(const Pod& pod) {
  return pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
      ->node_selector_terms;
}

inline Affinity preferred(std::vector<PreferredSchedulingTerm> terms) {
  return {.node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution =
                                            std::move(terms)}};
}

inline PodAffinityTerm beside(std::string app, std::string topology_key = "zone") {
  return {.label_selector = labelled("app", std::move(app)),
          .topology_key = std::move(topology_key)};
}

/// What an injection that failed looks like: the pod as it came, errors, and the policy that could
/// not be applied.
inline void check_failed(const Injection& injection, const Pod& pod, const List& wanted,
                         const List& policies = {}) {
  CHECK(reasons(injection.errors) == wanted);
  CHECK(injection.pod == pod);
  CHECK(injection.applied == policies);
  CHECK(injection.skipped == std::vector<Skipped>{});
  CHECK(injection.changes == Changes{});
}

inline const FieldPath node_affinity_path = {"spec", "affinity", "nodeAffinity"};
inline const FieldPath required_node_path = node_affinity_path.child(required_mode);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
