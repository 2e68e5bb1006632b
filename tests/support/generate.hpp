// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies, pods and options for laws that have to hold for all of them. The vocabularies are
// small, so that what a pod asks for and what a policy says meet often; everything is sometimes
// absent, sometimes any and sometimes listed. The same seed gives the same values everywhere.

#include <schedpol/base/any_or.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include "random.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::testing {

class Generator : public Random {
 public:
  using Random::Random;

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
    scheduling_policy::for_each_row([&](const auto& row) { name_in_pod(row, spec); });
    if (chance(10)) spec.priority = 7;
    if (chance(10)) spec.preemption_policy = "Never";
    for (std::size_t i = chance(50) ? 0 : below(3); i > 0; --i)
      spec.node_selector[pick(keys)] = pick(values);
    for (std::size_t i = chance(50) ? 0 : below(4); i > 0; --i)
      spec.tolerations.push_back(toleration());
    if (chance(40)) spec.affinity = affinity();
    for (std::size_t i = chance(70) ? 0 : below(3); i > 0; --i)
      spec.topology_spread_constraints.push_back(spread_constraint());
    for (std::size_t i = chance(70) ? 0 : below(3); i > 0; --i)
      spec.scheduling_gates.push_back({pick(gates)});
    for (std::size_t i = chance(70) ? 0 : below(3); i > 0; --i)
      spec.resource_claims.push_back(resource_claim());
    return {.metadata = {.name = "pod"}, .spec = std::move(spec)};
  }

  scheduling_policy::Options options() {
    scheduling_policy::Options options;
    if (chance(40)) options.governs = scheduling_policy::Components::all();
    if (chance(10)) options.governs = components();
    if (chance(50)) return options;
    if (chance(30)) options.required_affinity = scheduling_policy::RequiredAffinity::present;
    if (chance(30)) options.node_name = scheduling_policy::NodeNameCheck::ignore;
    if (chance(30)) options.default_scheduler = DefaultScheduler::unspecified;
    if (chance(30)) options.exempt.tolerations = {toleration(), toleration()};
    if (chance(30)) options.exempt.node_selector = {{pick(keys), pick(values)}};
    for (std::size_t i = chance(50) ? 0 : below(3); i > 0; --i)
      options.exempt_criteria.push_back(criteria());
    if (chance(15)) options.added_to_pods.node_selector = {{pick(keys), pick(values)}};
    if (chance(15)) options.added_to_pods.tolerations = {toleration()};
    if (chance(30)) options.global_default_priority_class = pick(classes);
    return options;
  }

  SchedulingCriteria criteria() {
    SchedulingCriteria criteria;
    if (chance(20)) criteria.node_name = "node-1";
    if (chance(30)) criteria.scheduler_name = pick(schedulers);
    if (chance(30)) criteria.node_selector = {{pick(keys), pick(values)}};
    if (chance(30)) criteria.tolerations = {toleration()};
    if (chance(60)) criteria.affinity = affinity();
    return criteria;
  }

  /// Adds an entry to one absent or listed list or map of `allowed`, at any depth, which permits
  /// more. False where the place picked is already "any", which an entry would narrow.
  bool widen(scheduling_policy::PolicySection& allowed) {
    constexpr std::size_t fields =
        scheduling_policy::with_section_fields([](const auto&... row) { return sizeof...(row); });
    std::size_t left = below(fields);
    bool widened = false;
    scheduling_policy::for_each_section_field([&](const auto& row) {
      if (left-- == 0) widened = widen(row, allowed.*row.rules);
    });
    return widened;
  }

 private:
  using Words = std::vector<std::string>;
  template <class Word>
  using OpenWords = std::vector<OpenEnum<Word>>;

  const Words schedulers = {"default-scheduler", "blue", "green"};
  const Words classes = {"gold", "silver"};
  const Words keys = {"disk", "zone"};
  const Words values = {"1", "2"};
  const Words gates = {"quota", "budget"};
  const Words claims = {"gpu", "nic"};
  const OpenWords<WhenUnsatisfiable> spread_words = {WhenUnsatisfiable::do_not_schedule,
                                                     WhenUnsatisfiable::schedule_anyway};
  const OpenWords<TolerationOperator> toleration_operators = {TolerationOperator::equal,
                                                              TolerationOperator::exists};
  const OpenWords<TaintEffect> effects = {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                          TaintEffect::no_execute};
  const OpenWords<NodeSelectorOperator> node_operators = {
      NodeSelectorOperator::in, NodeSelectorOperator::not_in, NodeSelectorOperator::exists};

  static bool is_scheduler(const scheduling_policy::NameField& row) {
    return row.codes == scheduling_policy::scheduler_name_field.codes;
  }
  const Words& names_of(const scheduling_policy::NameField& row) const {
    return is_scheduler(row) ? schedulers : classes;
  }
  /// Calls `f` for each field that is a name.
  template <class F>
  static void for_each_name(F&& f) {
    scheduling_policy::for_each_pod_field([&](const auto& row) {
      if constexpr (std::is_same_v<decltype(row), const scheduling_policy::NameField&>) f(row);
    });
  }
  void name_in_pod(const scheduling_policy::NameField& row, PodSpec& spec) {
    if (chance(is_scheduler(row) ? 40 : 30)) spec.*row.in_pod = pick(names_of(row));
  }
  void name_in_pod(const scheduling_policy::NodeNameField& row, PodSpec& spec) {
    if (chance(5)) spec.*row.in_pod = "node-1";
  }
  static void name_in_pod(const auto&, PodSpec&) {}

  template <class T>
  std::vector<T> some(const std::vector<T>& words) {
    std::vector<T> list = {pick(words)};
    if (chance(50)) list.push_back(pick(words));
    return list;
  }

  /// Absent, any or some of the words.
  template <class List, class T>
  AnyOr<List> maybe(const std::vector<T>& words, std::size_t absent, std::size_t anything) {
    const std::size_t draw = below(100);
    if (draw < absent) return {};
    if (draw < absent + anything) return any;
    return List(some(words));
  }
  AnyOr<Texts> maybe(const Words& words, std::size_t absent, std::size_t anything) {
    return maybe<Texts>(words, absent, anything);
  }
  template <class Word>
  AnyOr<OpenWords<Word>> maybe(const OpenWords<Word>& words, std::size_t absent,
                               std::size_t anything) {
    return maybe<OpenWords<Word>>(words, absent, anything);
  }

  /// Listed, or any where nothing is.
  template <class List>
  static AnyOr<List> any_if_empty(List listed) {
    if (listed == List()) return any;
    return listed;
  }

  scheduling_policy::TolerationPattern toleration_pattern() {
    return {.keys = maybe(keys, 5, 40),
            .operators = maybe(toleration_operators, 5, 50),
            .values = maybe(values, 30, 50),
            .effects = maybe(effects, 5, 50)};
  }
  scheduling_policy::SpreadConstraintPattern spread_pattern() {
    return {.topology_keys = maybe(keys, 5, 40), .when_unsatisfiable = maybe(spread_words, 5, 50)};
  }
  std::vector<scheduling_policy::SpreadConstraintPattern> spread_patterns(std::size_t count) {
    std::vector<scheduling_policy::SpreadConstraintPattern> patterns;
    for (; count > 0; --count) patterns.push_back(spread_pattern());
    return patterns;
  }
  TopologySpreadConstraint spread_constraint() {
    TopologySpreadConstraint constraint{.max_skew = 1};
    if (chance(90)) constraint.topology_key = pick(keys);
    if (chance(85)) constraint.when_unsatisfiable = pick(spread_words);
    if (chance(2)) constraint.when_unsatisfiable = OpenEnum<WhenUnsatisfiable>("Never");
    return constraint;
  }
  PodResourceClaim resource_claim() {
    PodResourceClaim claim{.name = "device"};
    if (chance(60)) claim.resource_claim_name = pick(claims);
    if (chance(45)) claim.resource_claim_template_name = pick(claims);
    return claim;
  }
  scheduling_policy::Components components() {
    std::vector<scheduling_policy::Component> listed;
    for (std::size_t i = 0; i < scheduling_policy::component_names.size(); ++i)
      if (chance(60)) listed.push_back(static_cast<scheduling_policy::Component>(i));
    return scheduling_policy::Components(listed);
  }

  scheduling_policy::RequirementPattern requirement_pattern() {
    return {.keys = maybe(keys, 5, 50),
            .operators = maybe(node_operators, 5, 50),
            .values = maybe(values, 20, 60)};
  }
  AnyOr<std::vector<scheduling_policy::RequirementPattern>> requirement_patterns() {
    if (chance(20)) return {};
    std::vector<scheduling_policy::RequirementPattern> patterns;
    for (std::size_t i = below(3); i > 0; --i) patterns.push_back(requirement_pattern());
    return any_if_empty(std::move(patterns));
  }
  scheduling_policy::TermPattern term_pattern() {
    return {.match_expressions = requirement_patterns(), .match_fields = requirement_patterns()};
  }
  std::vector<scheduling_policy::TolerationPattern> toleration_patterns(std::size_t count) {
    std::vector<scheduling_policy::TolerationPattern> patterns;
    for (; count > 0; --count) patterns.push_back(toleration_pattern());
    return patterns;
  }
  void fill(AnyOr<scheduling_policy::NodeAffinityRule>& mode) {
    scheduling_policy::NodeAffinityRule rule;
    for (std::size_t i = below(3); i > 0; --i) rule.node_selector_terms.push_back(term_pattern());
    mode = any_if_empty(std::move(rule));
  }
  void fill(AnyOr<scheduling_policy::PodAffinityRule>& mode) {
    scheduling_policy::PodAffinityRule rule;
    if (chance(60)) rule.topology_keys = Texts(some(keys));
    mode = any_if_empty(std::move(rule));
  }
  template <class Rule>
  void fill(AnyOr<scheduling_policy::AffinityModes<Rule>>& kind) {
    if (chance(35)) return;
    scheduling_policy::AffinityModes<Rule> modes;
    if (chance(70)) {
      if (chance(80)) fill(modes.required_during_scheduling_ignored_during_execution);
      if (chance(60)) fill(modes.preferred_during_scheduling_ignored_during_execution);
    }
    kind = any_if_empty(std::move(modes));
  }
  AnyOr<scheduling_policy::AffinityRules> affinity_rules() {
    scheduling_policy::AffinityRules rules;
    fill(rules.node_affinities);
    fill(rules.pod_affinities);
    fill(rules.pod_anti_affinities);
    return any_if_empty(std::move(rules));
  }
  AnyOr<scheduling_policy::NodeSelectors> node_selectors(std::size_t count) {
    scheduling_policy::NodeSelectors selectors;
    for (; count > 0; --count) selectors[pick(keys)] = maybe(values, 10, 40);
    return any_if_empty(std::move(selectors));
  }

  scheduling_policy::PolicySection required() {
    scheduling_policy::PolicySection rules;
    for_each_name([&](const auto& row) {
      if (chance(is_scheduler(row) ? 15 : 10)) rules.*row.rules = maybe(names_of(row), 0, 20);
    });
    if (chance(15)) rules.node_selectors = node_selectors(below(3));
    if (chance(10)) rules.tolerations = any_if_empty(toleration_patterns(below(3)));
    if (chance(15)) rules.affinities = affinity_rules();
    return rules;
  }
  scheduling_policy::PolicySection allowed() {
    scheduling_policy::PolicySection rules;
    for_each_name([&](const auto& row) { rules.*row.rules = maybe(names_of(row), 20, 40); });
    if (chance(80)) rules.node_selectors = node_selectors(below(3));
    if (chance(80)) rules.tolerations = any_if_empty(toleration_patterns(below(4)));
    if (chance(75)) rules.affinities = affinity_rules();
    if (chance(20)) rules.affinities = any;
    if (chance(70)) rules.topology_spread_constraints = any_if_empty(spread_patterns(below(3)));
    rules.scheduling_gates = maybe(gates, 30, 30);
    rules.resource_claims = maybe(claims, 30, 30);
    return rules;
  }
  scheduling_policy::Defaults defaults() {
    scheduling_policy::Defaults defaults;
    for_each_name([&](const auto& row) {
      if (chance(is_scheduler(row) ? 30 : 25))
        defaults.*row.member = chance(10) ? std::string() : pick(names_of(row));
    });
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
    if (requirement.operator_ != NodeSelectorOperator::exists)
      requirement.values = Texts(some(values));
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

  template <class List, class T>
  static bool add(AnyOr<List>& list, T entry) {
    if (list.is_any()) return false;
    list.list().push_back(std::move(entry));
    return true;
  }
  bool widen(const scheduling_policy::NameField& row, AnyOr<Texts>& names) {
    return add(names, pick(names_of(row)));
  }
  bool widen(const scheduling_policy::AllowedNamesField<PodSchedulingGate>&, AnyOr<Texts>& names) {
    return add(names, pick(gates));
  }
  bool widen(const scheduling_policy::AllowedNamesField<PodResourceClaim>&, AnyOr<Texts>& names) {
    return add(names, pick(claims));
  }
  bool widen(AnyOr<std::vector<scheduling_policy::SpreadConstraintPattern>>& patterns) {
    if (!patterns.is_listed() || chance(40)) return add(patterns, spread_pattern());
    auto& pattern = patterns.list()[below(patterns.list().size())];
    return chance(50) ? add(pattern.topology_keys, pick(keys))
                      : add(pattern.when_unsatisfiable, pick(spread_words));
  }
  template <class Rules>
  bool widen(const auto&, AnyOr<Rules>& rules) {
    return widen(rules);
  }
  bool widen(AnyOr<scheduling_policy::NodeSelectors>& selectors) {
    if (selectors.is_any()) return false;
    return add(selectors.list()[pick(keys)], pick(values));
  }
  bool widen(AnyOr<std::vector<scheduling_policy::TolerationPattern>>& patterns) {
    if (!patterns.is_listed() || chance(40)) return add(patterns, toleration_pattern());
    auto& pattern = patterns.list()[below(patterns.list().size())];
    switch (below(4)) {
      case 0: return add(pattern.keys, pick(keys));
      case 1: return add(pattern.operators, pick(toleration_operators));
      case 2: return add(pattern.effects, pick(effects));
      // Absent values match what has no value, so only listed ones grow.
      default: return pattern.values.is_listed() && add(pattern.values, pick(values));
    }
  }
  bool widen(AnyOr<std::vector<scheduling_policy::RequirementPattern>>& patterns) {
    if (!patterns.is_listed() || chance(40)) return add(patterns, requirement_pattern());
    auto& pattern = patterns.list()[below(patterns.list().size())];
    switch (below(3)) {
      case 0: return add(pattern.keys, pick(keys));
      case 1: return add(pattern.operators, pick(node_operators));
      default: return pattern.values.is_listed() && add(pattern.values, pick(values));
    }
  }
  bool widen(AnyOr<scheduling_policy::NodeAffinityRule>& mode) {
    if (mode.is_any()) return false;
    auto& terms = mode.list().node_selector_terms;
    if (terms.empty() || chance(40)) {
      terms.push_back(term_pattern());
      return true;
    }
    auto& term = terms[below(terms.size())];
    return widen(chance(70) ? term.match_expressions : term.match_fields);
  }
  bool widen(AnyOr<scheduling_policy::PodAffinityRule>& mode) {
    if (mode.is_any()) return false;
    mode.list().topology_keys.push_back(pick(keys));
    return true;
  }
  template <class Rule>
  bool widen(AnyOr<scheduling_policy::AffinityModes<Rule>>& kind) {
    if (kind.is_any()) return false;
    auto& modes = kind.list();
    return widen(chance(60) ? modes.required_during_scheduling_ignored_during_execution
                            : modes.preferred_during_scheduling_ignored_during_execution);
  }
  bool widen(AnyOr<scheduling_policy::AffinityRules>& rules) {
    if (rules.is_any()) return false;
    switch (below(4)) {
      case 0: return widen(rules.list().pod_affinities);
      case 1: return widen(rules.list().pod_anti_affinities);
      default: return widen(rules.list().node_affinities);
    }
  }
};

}  // namespace schedpol::testing
