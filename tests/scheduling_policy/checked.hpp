// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies and terms that tests of check speak of.

#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/reasons.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace checked {

using schedpol::testing::operator""_path;

using schedpol::testing::List;
using schedpol::testing::reasons;
using TolerationPatterns = std::vector<TolerationPattern>;
using RequirementPatterns = std::vector<RequirementPattern>;
using NodeOperators = std::vector<OpenEnum<NodeSelectorOperator>>;

inline constexpr auto equal = TolerationOperator::equal;
inline constexpr auto exists = TolerationOperator::exists;
inline constexpr auto no_schedule = TaintEffect::no_schedule;
inline constexpr auto no_execute = TaintEffect::no_execute;
inline constexpr auto in = NodeSelectorOperator::in;
inline constexpr auto not_in = NodeSelectorOperator::not_in;

inline const AnyOr<Texts> absent;

inline EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

/// The same with the default scheduler allowed, so that nothing but the rest is in question.
inline EffectivePolicy merged_with_scheduler(SchedulingPolicySpec spec) {
  spec.allowed.scheduler_names = {"default-scheduler"};
  return merged(std::move(spec));
}

// ---- affinity

using Terms = std::vector<NodeSelectorTerm>;

inline NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions) {
  return {.match_expressions = std::move(expressions)};
}
inline TermPattern term_pattern(AnyOr<RequirementPatterns> patterns) {
  return {.match_expressions = std::move(patterns)};
}
inline NodeAffinity required_node(Terms terms) {
  return {.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)}};
}
inline NodeAffinity preferred_node(Terms terms) {
  NodeAffinity affinity;
  for (NodeSelectorTerm& preference : terms) {
    affinity.preferred_during_scheduling_ignored_during_execution.push_back(
        {.weight = 1, .preference = std::move(preference)});
  }
  return affinity;
}
inline PodAffinity required_pod(const List& topology_keys) {
  PodAffinity affinity;
  for (const std::string& key : topology_keys)
    affinity.required_during_scheduling_ignored_during_execution.push_back({.topology_key = key});
  return affinity;
}
inline PodAffinity preferred_pod(const List& topology_keys) {
  PodAffinity affinity;
  for (const std::string& key : topology_keys) {
    affinity.preferred_during_scheduling_ignored_during_execution.push_back(
        {.weight = 1, .pod_affinity_term = {.topology_key = key}});
  }
  return affinity;
}
inline AnyOr<NodeAffinityRule> rule(const AnyOr<std::vector<TermPattern>>& terms) {
  if (terms.is_any()) return any;
  return NodeAffinityRule{terms.listed()};
}
inline AnyOr<PodAffinityRule> rule(const AnyOr<Texts>& topology_keys) {
  if (topology_keys.is_any()) return any;
  return PodAffinityRule{topology_keys.listed()};
}
inline AffinityRules required_node_rule(const AnyOr<std::vector<TermPattern>>& terms) {
  return {.node_affinities = NodeAffinityRules{
              .required_during_scheduling_ignored_during_execution = rule(terms)}};
}
inline AffinityRules preferred_node_rule(const AnyOr<std::vector<TermPattern>>& terms) {
  return {.node_affinities = NodeAffinityRules{
              .preferred_during_scheduling_ignored_during_execution = rule(terms)}};
}
inline PodAffinityRules required_pod_rule(const AnyOr<Texts>& topology_keys) {
  return {.required_during_scheduling_ignored_during_execution = rule(topology_keys)};
}
inline PodAffinityRules preferred_pod_rule(const AnyOr<Texts>& topology_keys) {
  return {.preferred_during_scheduling_ignored_during_execution = rule(topology_keys)};
}

inline const std::string node_field = "spec.affinity.nodeAffinity";
inline const std::string pod_field = "spec.affinity.podAffinity";
inline const std::string anti_field = "spec.affinity.podAntiAffinity";
inline const std::string required_mode = ".requiredDuringSchedulingIgnoredDuringExecution";
inline const std::string preferred_mode = ".preferredDuringSchedulingIgnoredDuringExecution";

struct AffinityCase {
  const char* name;
  SchedulingPolicySpec policy;
  Affinity affinity;
  List wanted;
};

inline void check_all(const std::vector<AffinityCase>& cases, const Options& options = {}) {
  for (const auto& [name, policy, affinity, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.spec = {.affinity = affinity}};
    CHECK(reasons(check(pod, merged_with_scheduler(policy), options)) == wanted);
  }
}

inline const NodeSelectorRequirement disk_ssd = {.key = "disk", .operator_ = in, .values = {"ssd"}};
inline const NodeSelectorRequirement zone_a = {.key = "zone", .operator_ = in, .values = {"a"}};
inline const NodeSelectorRequirement gpu_exists = {.key = "gpu",
                                                   .operator_ = NodeSelectorOperator::exists};
inline const RequirementPattern disk_pattern = {
    .keys = {"disk"}, .operators = NodeOperators{in}, .values = {"ssd", "hdd"}};
inline const RequirementPattern zone_pattern = {
    .keys = {"zone"}, .operators = NodeOperators{in, not_in}, .values = {"a"}};

/// Tolerations, expressions and patterns of few words, so that about half of what is required is
/// met; the empty text is among them.
class Drawn : public schedpol::testing::Random {
 public:
  using Random::Random;

  Toleration toleration() {
    return {text(), word<TolerationOperator>(4), text(), word<TaintEffect>(4), {}};
  }
  NodeSelectorRequirement expression() {
    NodeSelectorRequirement made{text(), word<NodeSelectorOperator>(5), {}};
    for (std::size_t i = below(3); i > 0; --i) made.values.push_back(text());
    return made;
  }
  template <class Pattern>
  Pattern pattern() {
    Pattern made{texts(), any, texts()};
    draw(made.operators);
    if constexpr (std::is_same_v<Pattern, TolerationPattern>) draw(made.effects);
    return made;
  }
  /// One of many of one key, of which few say that any value will do.
  template <class Pattern>
  Pattern pattern_of_key() {
    Pattern made = pattern<Pattern>();
    made.keys = {"k"};
    if (chance(30)) made.keys = any;
    if (made.operators.is_any() && chance(80)) made.operators = {};
    if (made.values.is_any() && chance(90)) made.values = {text(), text(), text()};
    return made;
  }

 private:
  std::string text() { return chance(10) ? "" : "text-" + std::to_string(below(9)); }
  AnyOr<Texts> texts() {
    if (chance(10)) return absent;
    if (chance(20)) return any;
    AnyOr<Texts> some = {text()};
    if (chance(20)) some.list().push_back(text());
    return some;
  }
  template <class Word>
  Word word(std::size_t count) {
    return static_cast<Word>(1 + below(count));
  }
  template <class Word>
  void draw(AnyOr<std::vector<OpenEnum<Word>>>& words) {
    words = any;
    if (chance(60)) words = {word<Word>(3), word<Word>(3)};
  }
};

/// The lists of a term that expressions stand in, in a pod and in a policy.
struct ExpressionList {
  const char* name;
  std::vector<NodeSelectorRequirement> NodeSelectorTerm::*of_term;
  AnyOr<RequirementPatterns> TermPattern::*of_pattern;
};
inline constexpr ExpressionList expression_lists[] = {
    {"matchExpressions", &NodeSelectorTerm::match_expressions, &TermPattern::match_expressions},
    {"matchFields", &NodeSelectorTerm::match_fields, &TermPattern::match_fields}};

}  // namespace checked
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
