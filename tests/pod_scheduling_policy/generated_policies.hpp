// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies and pods that laws are tried on.

#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace generated_policies {

using schedpol::testing::List;
using Policies = std::vector<PodSchedulingPolicy>;

inline constexpr int rounds = schedpol::testing::tries(3000);

/// Small vocabularies, so that what a pod has and what a policy injects meet often.
class Generator : public schedpol::testing::Random {
 public:
  using Random::Random;

  std::string pick(const char* letters) {
    const std::string all = letters;
    return {all[below(all.size())]};
  }

  Labels labels(const char* keys) {
    Labels labels;
    for (std::size_t i = below(3); i > 0; --i) labels[pick(keys)] = pick("12");
    return labels;
  }

  NodeSelectorRequirement requirement() {
    if (chance(40)) return {pick("abc"), NodeSelectorOperator::exists, {}};
    if (chance(30)) return {pick("abc"), NodeSelectorOperator::not_in, {pick("12")}};
    if (chance(10)) return {pick("abc"), NodeSelectorOperator::gt, {pick("12")}};
    if (chance(10)) return {pick("abc"), NodeSelectorOperator::does_not_exist, {}};
    return {pick("abc"), NodeSelectorOperator::in, {pick("12")}};
  }

  /// Never empty.
  NodeSelectorTerm term() {
    NodeSelectorTerm term;
    for (std::size_t i = below(3); i > 0; --i) term.match_expressions.push_back(requirement());
    if (term.match_expressions.empty() || chance(10)) {
      term.match_fields.push_back(
          {"metadata.name", NodeSelectorOperator::in, {"node-" + pick("012")}});
    }
    return term;
  }

  std::vector<NodeSelectorTerm> terms() {
    std::vector<NodeSelectorTerm> terms;
    for (std::size_t i = 1 + below(3); i > 0; --i) terms.push_back(term());
    return terms;
  }

  Toleration toleration() {
    return {.key = pick("abc"),
            .operator_ = chance(50) ? TolerationOperator::exists : TolerationOperator::equal,
            .effect = chance(50) ? TaintEffect::unset : TaintEffect::no_schedule};
  }

  PodAffinityTerm pod_term() {
    PodAffinityTerm term = {.topology_key = pick("xy")};
    if (chance(70)) term.label_selector = LabelSelector{.match_labels = labels("ab")};
    return term;
  }

  PodAffinity pod_affinity() {
    PodAffinity affinity;
    if (chance(60)) affinity.required_during_scheduling_ignored_during_execution = {pod_term()};
    while (chance(40) || !has_terms(affinity)) {
      affinity.preferred_during_scheduling_ignored_during_execution.push_back(
          {static_cast<std::int32_t>(1 + below(2)), pod_term()});
    }
    return affinity;
  }

  NodeAffinity node_affinity() {
    NodeAffinity affinity;
    if (chance(75)) {
      affinity.required_during_scheduling_ignored_during_execution = NodeSelector{terms()};
    }
    while (chance(40) || !has_terms(affinity)) {
      affinity.preferred_during_scheduling_ignored_during_execution.push_back(
          {static_cast<std::int32_t>(1 + below(2)), term()});
    }
    return affinity;
  }

  Affinity affinity() {
    Affinity affinity;
    if (chance(70)) affinity.node_affinity = node_affinity();
    if (chance(30)) affinity.pod_affinity = pod_affinity();
    if (chance(30)) affinity.pod_anti_affinity = pod_affinity();
    return affinity;
  }

  Pod pod() {
    PodSpec spec = {.node_selector = labels("abc")};
    if (chance(20)) spec.scheduler_name = pick("st");
    if (chance(20)) spec.node_name = "node-" + pick("012");
    if (chance(20)) spec.priority_class_name = "gold";
    if (chance(20)) spec.runtime_class_name = "kata";
    for (std::size_t i = below(3); i > 0; --i) spec.tolerations.push_back(toleration());
    if (chance(60)) spec.affinity = affinity();
    // An empty term of the pod matches no node, whatever is injected beside it.
    const bool has_required =
        spec.affinity && spec.affinity->node_affinity &&
        spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (has_required && chance(15)) {
      spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
          ->node_selector_terms.emplace_back();
    }
    return {.metadata = {.name = "pod", .namespace_ = "team-a", .labels = labels("ab")},
            .spec = std::move(spec)};
  }

  std::optional<LabelSelector> selector() {
    if (chance(5)) return std::nullopt;
    if (chance(70)) return LabelSelector{};
    return LabelSelector{.match_labels = {{pick("ab"), pick("12")}}};
  }

  Policies policies() {
    Policies policies;
    for (const char* name : {"p", "q", "r"}) {
      for (const PolicyKind kind :
           {PolicyKind::pod_scheduling_policy, PolicyKind::cluster_pod_scheduling_policy}) {
        if (chance(65)) continue;
        PodSchedulingPolicySpec spec = {.pod_selector = selector(), .node_selector = labels("abc")};
        if (kind == PolicyKind::cluster_pod_scheduling_policy) spec.namespace_selector = selector();
        if (chance(30)) spec.scheduler_name = pick("st");
        if (chance(20)) spec.node_name = "node-" + pick("012");
        for (std::size_t i = below(3); i > 0; --i) spec.tolerations.push_back(toleration());
        if (chance(70)) spec.affinity = affinity();
        if (spec.affinity && spec.affinity->node_affinity && chance(10)) {
          auto& required =
              spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
          if (required && chance(30)) required->node_selector_terms.clear();
          if (required) required->node_selector_terms.emplace_back();
        }
        ObjectMeta metadata = {.name = name};
        if (kind == PolicyKind::pod_scheduling_policy)
          metadata.namespace_ = chance(90) ? "team-a" : "b";
        policies.push_back(
            {.kind = kind, .metadata = std::move(metadata), .spec = std::move(spec)});
      }
    }
    shuffle(policies);
    return policies;
  }

  Namespace in() { return {{.name = "team-a", .labels = labels("ab")}}; }
};

inline const FieldPath required_path = {"spec", "affinity", "nodeAffinity", required_mode};
inline const FieldPath pod_term_paths[] = {{"spec", "affinity", "podAffinity", required_mode},
                                           {"spec", "affinity", "podAntiAffinity", required_mode}};

}  // namespace generated_policies
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
