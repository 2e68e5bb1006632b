// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies, pods and options for laws that have to hold for all of them. The vocabularies are
// small, so that what a pod asks for and what a policy says meet often; everything is sometimes
// absent, sometimes empty and sometimes listed. The same seed gives the same values everywhere.

#include <schedpol/schedpol.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::testing {

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

  /// None to three policies of different names.
  std::vector<scheduling_policy::SchedulingPolicy> policies() {
    std::vector<scheduling_policy::SchedulingPolicy> policies;
    std::size_t count = 1 + below(3);
    if (chance(2)) count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      policies.push_back({.metadata = {.name = std::string(1, static_cast<char>('a' + i))},
                          .spec = policy_spec()});
    }
    shuffle(policies);
    return policies;
  }

  scheduling_policy::SchedulingPolicySpec policy_spec() {
    return {.required = required(), .allowed = allowed(), .defaults = defaults()};
  }

  Pod pod() {
    PodSpec spec;
    if (chance(40)) spec.scheduler_name = pick(schedulers);
    if (chance(5)) spec.node_name = "node-1";
    if (chance(30)) spec.priority_class_name = pick(classes);
    if (chance(10)) spec.priority = 7;
    if (chance(10)) spec.preemption_policy = "Never";
    for (std::size_t i = chance(50) ? 0 : below(3); i > 0; --i)
      spec.node_selector[pick(keys)] = pick(values);
    for (std::size_t i = chance(50) ? 0 : below(4); i > 0; --i)
      spec.tolerations.push_back(toleration());
    if (chance(40)) spec.affinity = affinity();
    return {.metadata = {.name = "pod"}, .spec = std::move(spec)};
  }

  scheduling_policy::Options options() {
    scheduling_policy::Options options;
    if (chance(50)) return options;
    if (chance(30)) options.required_affinity = scheduling_policy::RequiredAffinity::present;
    if (chance(30)) options.node_name = scheduling_policy::NodeName::ignore;
    if (chance(30)) options.default_scheduler = DefaultScheduler::unspecified;
    if (chance(30)) options.exempt_tolerations = {toleration(), toleration()};
    if (chance(30)) options.exempt_node_selector = {{pick(keys), pick(values)}};
    if (chance(30)) options.global_default_priority_class = pick(classes);
    return options;
  }

  /// Adds an entry to one absent or listed list or map of `allowed`, at any depth, which permits
  /// more. False where the place picked is already "any", which an entry would narrow.
  bool widen(scheduling_policy::Rules& allowed) {
    switch (below(5)) {
      case 0: return add(allowed.scheduler_names, pick(schedulers));
      case 1: return add(allowed.priority_class_names, pick(classes));
      case 2: return widen(allowed.node_selectors);
      case 3: return widen(allowed.tolerations);
      default: return widen(allowed.affinities);
    }
  }

 private:
  using Names = scheduling_policy::Names;
  using Words = std::vector<std::string>;
  template <class Word>
  using OpenWords = std::vector<OpenEnum<Word>>;

  const Words schedulers = {"default-scheduler", "blue", "green"};
  const Words classes = {"gold", "silver"};
  const Words keys = {"disk", "zone"};
  const Words values = {"1", "2"};
  const OpenWords<TolerationOperator> toleration_operators = {TolerationOperator::equal,
                                                              TolerationOperator::exists};
  const OpenWords<TaintEffect> effects = {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                          TaintEffect::no_execute};
  const OpenWords<NodeSelectorOperator> node_operators = {
      NodeSelectorOperator::in, NodeSelectorOperator::not_in, NodeSelectorOperator::exists};

  template <class T>
  std::vector<T> some(const std::vector<T>& words) {
    std::vector<T> list = {pick(words)};
    if (chance(50)) list.push_back(pick(words));
    return list;
  }

  /// Absent, empty or some of the words.
  template <class T>
  std::optional<std::vector<T>> maybe(const std::vector<T>& words, std::size_t absent,
                                      std::size_t empty) {
    const std::size_t draw = below(100);
    if (draw < absent) return std::nullopt;
    if (draw < absent + empty) return std::vector<T>();
    return some(words);
  }

  scheduling_policy::TolerationPattern toleration_pattern() {
    return {.keys = maybe(keys, 5, 40),
            .operators = maybe(toleration_operators, 5, 50),
            .values = maybe(values, 30, 50),
            .effects = maybe(effects, 5, 50)};
  }
  scheduling_policy::RequirementPattern requirement_pattern() {
    return {.keys = maybe(keys, 5, 50),
            .operators = maybe(node_operators, 5, 50),
            .values = maybe(values, 20, 60)};
  }
  std::optional<std::vector<scheduling_policy::RequirementPattern>> requirement_patterns() {
    if (chance(20)) return std::nullopt;
    std::vector<scheduling_policy::RequirementPattern> patterns;
    for (std::size_t i = below(3); i > 0; --i) patterns.push_back(requirement_pattern());
    return patterns;
  }
  scheduling_policy::TermPattern term_pattern() {
    return {.match_expressions = requirement_patterns(), .match_fields = requirement_patterns()};
  }
  void fill(scheduling_policy::NodeAffinityRule& rule) {
    for (std::size_t i = below(3); i > 0; --i) rule.node_selector_terms.push_back(term_pattern());
  }
  void fill(scheduling_policy::PodAffinityRule& rule) {
    if (chance(60)) rule.topology_keys = some(keys);
  }
  template <class Rule>
  void fill(std::optional<scheduling_policy::AffinityModes<Rule>>& kind) {
    if (chance(35)) return;
    kind.emplace();
    if (chance(30)) return;
    if (chance(80)) fill(kind->required_during_scheduling_ignored_during_execution.emplace());
    if (chance(60)) fill(kind->preferred_during_scheduling_ignored_during_execution.emplace());
  }
  scheduling_policy::AffinityRules affinity_rules() {
    scheduling_policy::AffinityRules rules;
    fill(rules.node_affinities);
    fill(rules.pod_affinities);
    fill(rules.pod_anti_affinities);
    return rules;
  }
  scheduling_policy::NodeSelectors node_selectors(std::size_t count) {
    scheduling_policy::NodeSelectors selectors;
    for (; count > 0; --count) selectors[pick(keys)] = maybe(values, 10, 40);
    return selectors;
  }

  scheduling_policy::Rules required() {
    scheduling_policy::Rules rules;
    if (chance(15)) rules.scheduler_names = maybe(schedulers, 0, 20);
    if (chance(10)) rules.priority_class_names = maybe(classes, 0, 20);
    if (chance(15)) rules.node_selectors = node_selectors(below(3));
    if (chance(10)) {
      rules.tolerations.emplace();
      for (std::size_t i = below(3); i > 0; --i) rules.tolerations->push_back(toleration_pattern());
    }
    if (chance(15)) rules.affinities = affinity_rules();
    return rules;
  }
  scheduling_policy::Rules allowed() {
    scheduling_policy::Rules rules;
    rules.scheduler_names = maybe(schedulers, 20, 40);
    rules.priority_class_names = maybe(classes, 20, 40);
    if (chance(80)) rules.node_selectors = node_selectors(below(3));
    if (chance(80)) {
      rules.tolerations.emplace();
      for (std::size_t i = below(4); i > 0; --i) rules.tolerations->push_back(toleration_pattern());
    }
    if (chance(75)) rules.affinities = affinity_rules();
    if (chance(20)) rules.affinities.emplace();
    return rules;
  }
  scheduling_policy::Defaults defaults() {
    scheduling_policy::Defaults defaults;
    if (chance(30)) defaults.scheduler_name = chance(10) ? std::string() : pick(schedulers);
    if (chance(25)) defaults.priority_class_name = chance(10) ? std::string() : pick(classes);
    if (chance(30)) {
      defaults.node_selector.emplace();
      for (std::size_t i = below(3); i > 0; --i)
        (*defaults.node_selector)[pick(keys)] = pick(values);
    }
    if (chance(30)) {
      defaults.tolerations.emplace();
      for (std::size_t i = below(3); i > 0; --i)
        defaults.tolerations->push_back(
            {.toleration = toleration(), .values = maybe(values, 60, 10)});
    }
    if (chance(30)) defaults.affinity = affinity();
    return defaults;
  }

  Toleration toleration() {
    Toleration toleration;
    if (chance(85)) toleration.key = pick(keys);
    if (chance(80)) toleration.operator_ = pick(toleration_operators);
    if (chance(2)) toleration.operator_ = OpenEnum<TolerationOperator>("Like");
    if (toleration.operator_ != TolerationOperator::exists && chance(70))
      toleration.value = pick(values);
    if (chance(80)) toleration.effect = pick(effects);
    if (chance(2)) toleration.effect = OpenEnum<TaintEffect>("NoRun");
    if (chance(10)) toleration.toleration_seconds = 60;
    return toleration;
  }
  NodeSelectorRequirement requirement() {
    NodeSelectorRequirement requirement{.key = pick(keys), .operator_ = pick(node_operators)};
    if (requirement.operator_ != NodeSelectorOperator::exists) requirement.values = some(values);
    if (chance(2)) requirement.operator_ = OpenEnum<NodeSelectorOperator>("Like");
    return requirement;
  }
  NodeSelectorTerm term() {
    NodeSelectorTerm term;
    for (std::size_t i = below(3); i > 0; --i) term.match_expressions.push_back(requirement());
    if (chance(15)) term.match_fields.push_back(requirement());
    return term;
  }
  std::optional<NodeAffinity> node_affinity() {
    if (chance(45)) return std::nullopt;
    NodeAffinity affinity;
    if (chance(80)) {
      auto& selector = affinity.required_during_scheduling_ignored_during_execution.emplace();
      for (std::size_t i = below(4); i > 0; --i) selector.node_selector_terms.push_back(term());
    }
    if (chance(30)) {
      affinity.preferred_during_scheduling_ignored_during_execution.push_back(
          {.weight = 1, .preference = term()});
    }
    return affinity;
  }
  std::optional<PodAffinity> pod_affinity() {
    if (chance(70)) return std::nullopt;
    PodAffinity affinity;
    if (chance(70)) {
      affinity.required_during_scheduling_ignored_during_execution.push_back(
          {.topology_key = pick(keys)});
    }
    if (chance(40)) {
      affinity.preferred_during_scheduling_ignored_during_execution.push_back(
          {.weight = 1, .pod_affinity_term = {.topology_key = pick(keys)}});
    }
    return affinity;
  }
  Affinity affinity() {
    return {.node_affinity = node_affinity(),
            .pod_affinity = pod_affinity(),
            .pod_anti_affinity = pod_affinity()};
  }

  // ---- widening

  template <class T>
  static bool add(std::optional<std::vector<T>>& list, T entry) {
    if (list && list->empty()) return false;
    if (!list) list.emplace();
    list->push_back(std::move(entry));
    return true;
  }
  bool widen(std::optional<scheduling_policy::NodeSelectors>& selectors) {
    if (selectors && selectors->empty()) return false;
    if (!selectors) selectors.emplace();
    auto& listed = (*selectors)[pick(keys)];
    return add(listed, pick(values));
  }
  bool widen(std::optional<std::vector<scheduling_policy::TolerationPattern>>& patterns) {
    if (!patterns || patterns->empty() || chance(40)) return add(patterns, toleration_pattern());
    auto& pattern = (*patterns)[below(patterns->size())];
    switch (below(4)) {
      case 0: return add(pattern.keys, pick(keys));
      case 1: return add(pattern.operators, pick(toleration_operators));
      case 2: return add(pattern.effects, pick(effects));
      // Absent values match what has no value, so only listed ones grow.
      default: return pattern.values && add(pattern.values, pick(values));
    }
  }
  bool widen(std::optional<std::vector<scheduling_policy::RequirementPattern>>& patterns) {
    if (!patterns || patterns->empty() || chance(40)) return add(patterns, requirement_pattern());
    auto& pattern = (*patterns)[below(patterns->size())];
    switch (below(3)) {
      case 0: return add(pattern.keys, pick(keys));
      case 1: return add(pattern.operators, pick(node_operators));
      default: return pattern.values && add(pattern.values, pick(values));
    }
  }
  bool widen(scheduling_policy::NodeAffinityRule& rule, bool is_new) {
    auto& terms = rule.node_selector_terms;
    if (terms.empty() && !is_new) return false;
    if (terms.empty() || chance(40)) {
      terms.push_back(term_pattern());
      return true;
    }
    auto& term = terms[below(terms.size())];
    return widen(chance(70) ? term.match_expressions : term.match_fields);
  }
  bool widen(scheduling_policy::PodAffinityRule& rule, bool is_new) {
    if (rule.topology_keys.empty() && !is_new) return false;
    rule.topology_keys.push_back(pick(keys));
    return true;
  }
  template <class Rule>
  bool widen(std::optional<scheduling_policy::AffinityModes<Rule>>& kind) {
    if (kind == scheduling_policy::AffinityModes<Rule>()) return false;
    if (!kind) kind.emplace();
    auto& mode = chance(60) ? kind->required_during_scheduling_ignored_during_execution
                            : kind->preferred_during_scheduling_ignored_during_execution;
    const bool is_new = !mode;
    if (is_new) mode.emplace();
    return widen(*mode, is_new);
  }
  bool widen(std::optional<scheduling_policy::AffinityRules>& rules) {
    if (rules == scheduling_policy::AffinityRules()) return false;
    if (!rules) rules.emplace();
    switch (below(4)) {
      case 0: return widen(rules->pod_affinities);
      case 1: return widen(rules->pod_anti_affinities);
      default: return widen(rules->node_affinities);
    }
  }

  std::mt19937 engine_;
};

}  // namespace schedpol::testing
