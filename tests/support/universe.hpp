// SPDX-License-Identifier: Apache-2.0
#pragma once

// A closed universe: policies that speak of one component of a pod and allow everything else, and
// every pod that they tell apart. What is decided over classes is held to it.

#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include "random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::testing {

/// Policies name the first two, and pods may have the third as well, which stands for all others.
inline const std::vector<std::string> words = {"a", "b", "c"};

enum class Part {
  names,
  other_names,
  node_selector,
  tolerations,
  node_affinity,
  pod_affinity,
  spread_constraints,
  allowed_names,
};

inline constexpr std::array<Part, 8> every_part = {
    Part::names,         Part::other_names,  Part::node_selector,      Part::tolerations,
    Part::node_affinity, Part::pod_affinity, Part::spread_constraints, Part::allowed_names};

class Universe : public Random {
 public:
  Universe(std::uint32_t seed, Part part) : Random(seed), part_(part) {}

  std::vector<scheduling_policy::SchedulingPolicy> policies() {
    std::vector<scheduling_policy::SchedulingPolicy> all;
    for (std::size_t i = 0, count = 1 + below(2); i < count; ++i)
      all.push_back(
          {.metadata = {.name = std::string(1, static_cast<char>('p' + i))}, .spec = spec()});
    return all;
  }

  scheduling_policy::Options options() {
    scheduling_policy::Options options;
    if (!chance(20)) options.governs = scheduling_policy::Components::all();
    if (chance(40)) options.required_affinity = scheduling_policy::RequiredAffinity::present;
    if (chance(20)) options.node_name = scheduling_policy::NodeNameCheck::ignore;
    if (chance(20)) options.default_scheduler = DefaultScheduler::unspecified;
    if (chance(25)) options.exempt.node_selector = {{"a", name()}};
    if (chance(25)) options.exempt.tolerations = {toleration()};
    if (chance(20)) options.global_default_priority_class = name();
    for (std::size_t i = chance(60) ? 0 : 1 + below(2); i > 0; --i)
      options.exempt_criteria.push_back(criteria());
    if (chance(15))
      options.added_to_pods = {.node_selector = {{name(), name()}}, .tolerations = {toleration()}};
    return options;
  }

  static std::vector<PodSpec> pods(Part part);

 private:
  /// Calls `f` for each field that is a name, but for the scheduler, which has the node beside it.
  template <class F>
  static void for_each_other_name(F&& f) {
    scheduling_policy::for_each_pod_field([&](const auto& row) {
      if constexpr (std::is_same_v<decltype(row), const scheduling_policy::NameField&>)
        if (row.codes != scheduling_policy::scheduler_name_field.codes) f(row);
    });
  }

  std::string name() { return words[below(2)]; }

  SchedulingCriteria criteria() {
    SchedulingCriteria criteria;
    if (chance(30)) criteria.node_name = "n";
    if (chance(50)) criteria.scheduler_name = name();
    if (chance(50)) criteria.node_selector = {{name(), name()}};
    if (chance(50)) criteria.tolerations = {toleration()};
    if (!chance(60)) return criteria;
    Affinity& affinity = criteria.affinity.emplace();
    NodeAffinity& node = affinity.node_affinity.emplace();
    if (chance(60)) node.required_during_scheduling_ignored_during_execution = {{term()}};
    if (chance(60)) node.preferred_during_scheduling_ignored_during_execution = {{1, term()}};
    PodAffinity& pods = affinity.pod_anti_affinity.emplace();
    if (chance(60))
      pods.required_during_scheduling_ignored_during_execution = {{.topology_key = name()}};
    if (chance(60))
      pods.preferred_during_scheduling_ignored_during_execution = {{1, {.topology_key = name()}}};
    return criteria;
  }

  AnyOr<Texts> texts(std::size_t absent, std::size_t anything) {
    const std::size_t draw = below(100);
    if (draw < absent) return {};
    if (draw < absent + anything) return any;
    Texts list{name()};
    if (chance(30)) list.push_back(name());
    return list;
  }
  scheduling_policy::TolerationPattern toleration_pattern() {
    scheduling_policy::TolerationPattern pattern{texts(3, 35), any, texts(30, 40), any};
    if (chance(40)) pattern.operators = {TolerationOperator::equal};
    if (chance(20)) pattern.operators = {TolerationOperator::exists};
    if (chance(50)) pattern.effects = {TaintEffect::no_schedule};
    if (chance(20)) pattern.effects = {TaintEffect::prefer_no_schedule, TaintEffect::no_execute};
    return pattern;
  }
  Toleration toleration() {
    Toleration made{.key = name(), .operator_ = TolerationOperator::exists};
    if (chance(60)) made = {.key = name(), .value = chance(70) ? name() : ""};
    if (chance(60)) made.effect = TaintEffect::no_schedule;
    if (chance(20)) made.toleration_seconds = 1;
    return made;
  }
  scheduling_policy::SpreadConstraintPattern spread_pattern() {
    scheduling_policy::SpreadConstraintPattern pattern{texts(3, 30), any};
    if (chance(40)) pattern.when_unsatisfiable = {WhenUnsatisfiable::do_not_schedule};
    if (chance(30)) pattern.when_unsatisfiable = {WhenUnsatisfiable::schedule_anyway};
    return pattern;
  }
  scheduling_policy::RequirementPattern requirement_pattern() {
    scheduling_policy::RequirementPattern pattern{texts(3, 40), any, texts(20, 40)};
    if (chance(60)) pattern.operators = {NodeSelectorOperator::in};
    if (chance(15)) pattern.operators = {NodeSelectorOperator::exists};
    return pattern;
  }
  scheduling_policy::TermPattern term_pattern() {
    scheduling_policy::TermPattern term;
    if (chance(10)) term.match_expressions = any;
    for (std::size_t i = below(3); i > 0; --i)
      term.match_expressions.list().push_back(requirement_pattern());
    if (chance(10)) term.match_fields = any;
    return term;
  }
  scheduling_policy::NodeAffinityRule node_rule() {
    scheduling_policy::NodeAffinityRule rule;
    for (std::size_t i = 1 + below(2); i > 0; --i)
      rule.node_selector_terms.push_back(term_pattern());
    return rule;
  }
  scheduling_policy::PodAffinityRule pod_rule() {
    scheduling_policy::PodAffinityRule rule{{name()}};
    if (chance(30)) rule.topology_keys.push_back(name());
    return rule;
  }
  NodeSelectorTerm term() {
    NodeSelectorTerm term;
    for (std::size_t i = below(3); i > 0; --i)
      term.match_expressions.push_back(
          chance(70) ? NodeSelectorRequirement{name(), NodeSelectorOperator::in, {name()}}
                     : NodeSelectorRequirement{name(), NodeSelectorOperator::exists, {}});
    return term;
  }
  /// Those of which a default gives two. Of some each holds what is required, of some only both
  /// together do, and some no node can meet together.
  static std::vector<NodeSelectorTerm> given_terms() {
    std::vector<NodeSelectorTerm> terms = given_terms_of_both_keys();
    terms.emplace_back();
    for (const char* key : {"a", "b"})
      for (const char* value : {"a", "b"})
        terms.push_back({{{key, NodeSelectorOperator::in, {value}}}, {}});
    return terms;
  }
  static std::vector<NodeSelectorTerm> given_terms_of_both_keys() {
    std::vector<NodeSelectorTerm> terms;
    for (const char* a : {"a", "b"})
      for (const char* b : {"a", "b"})
        terms.push_back(
            {{{"a", NodeSelectorOperator::in, {a}}, {"b", NodeSelectorOperator::in, {b}}}, {}});
    return terms;
  }
  /// One or both modes of each kind.
  Affinity given_affinity() {
    Affinity affinity;
    const std::size_t modes = 1 + below(3);
    const bool required = modes != 2;
    const bool preferred = modes != 1;
    if (part_ == Part::pod_affinity) {
      PodAffinity& given = affinity.pod_anti_affinity.emplace();
      if (required)
        given.required_during_scheduling_ignored_during_execution = {{.topology_key = name()}};
      if (preferred)
        given.preferred_during_scheduling_ignored_during_execution = {
            {1, {.topology_key = name()}}};
      return affinity;
    }
    NodeAffinity& given = affinity.node_affinity.emplace();
    if (required) {
      NodeSelector& selector = given.required_during_scheduling_ignored_during_execution.emplace();
      const auto terms = chance(40) ? given_terms_of_both_keys() : given_terms();
      selector.node_selector_terms = {pick(terms), pick(terms)};
      if (chance(30)) selector.node_selector_terms = {term()};
    }
    if (preferred) given.preferred_during_scheduling_ignored_during_execution = {{1, term()}};
    return affinity;
  }
  template <class Rule, class Make>
  AnyOr<scheduling_policy::AffinityModes<Rule>> modes(Make&& make) {
    if (chance(10)) return any;
    scheduling_policy::AffinityModes<Rule> modes;
    for (AnyOr<Rule>* mode : {&modes.required_during_scheduling_ignored_during_execution,
                              &modes.preferred_during_scheduling_ignored_during_execution}) {
      if (chance(70)) *mode = make();
      if (chance(10)) *mode = any;
    }
    return modes;
  }

  scheduling_policy::PolicySection rules(bool required) {
    scheduling_policy::PolicySection rules;
    switch (part_) {
      case Part::names: rules.scheduler_names = texts(30, required ? 0 : 40); break;
      case Part::other_names:
        for_each_other_name(
            [&](const auto& row) { rules.*row.rules = texts(30, required ? 0 : 30); });
        break;
      case Part::node_selector:
        if (!required && chance(20)) {
          rules.node_selectors = any;
        } else {
          for (std::size_t i = below(3); i > 0; --i)
            rules.node_selectors.list()[name()] = texts(10, 30);
        }
        break;
      case Part::tolerations:
        if (!required && chance(15)) {
          rules.tolerations = any;
        } else {
          for (std::size_t i = below(required ? 3 : 4); i > 0; --i)
            rules.tolerations.list().push_back(toleration_pattern());
        }
        break;
      case Part::node_affinity:
        if (!required && chance(10)) {
          rules.affinities = any;
        } else {
          rules.affinities.list().node_affinities =
              modes<scheduling_policy::NodeAffinityRule>([&] { return node_rule(); });
        }
        break;
      case Part::pod_affinity:
        if (!required && chance(10)) {
          rules.affinities = any;
        } else {
          rules.affinities.list().pod_anti_affinities =
              modes<scheduling_policy::PodAffinityRule>([&] { return pod_rule(); });
        }
        break;
      case Part::spread_constraints:
        if (required) break;
        if (chance(20)) {
          rules.topology_spread_constraints = any;
        } else {
          for (std::size_t i = below(4); i > 0; --i)
            rules.topology_spread_constraints.list().push_back(spread_pattern());
        }
        break;
      case Part::allowed_names:
        if (required) break;
        rules.scheduling_gates = texts(20, 20);
        rules.resource_claims = texts(20, 20);
        break;
    }
    return rules;
  }

  scheduling_policy::SchedulingPolicySpec spec() {
    scheduling_policy::SchedulingPolicySpec spec;
    spec.allowed = scheduling_policy::detail::everything();
    const scheduling_policy::PolicySection allowed = rules(false);
    const scheduling_policy::PolicySection required =
        chance(50) ? rules(true) : scheduling_policy::PolicySection{};
    const bool gives = chance(part_ == Part::node_affinity ? 60 : 30);
    switch (part_) {
      case Part::names:
        spec.allowed.scheduler_names = allowed.scheduler_names;
        spec.required.scheduler_names = required.scheduler_names;
        if (gives) spec.defaults.scheduler_name = name();
        break;
      case Part::other_names:
        for_each_other_name([&](const auto& row) {
          spec.allowed.*row.rules = allowed.*row.rules;
          spec.required.*row.rules = required.*row.rules;
          if (gives) spec.defaults.*row.member = name();
        });
        break;
      case Part::node_selector:
        spec.allowed.node_selectors = allowed.node_selectors;
        spec.required.node_selectors = required.node_selectors;
        if (gives) spec.defaults.node_selector.emplace()[name()] = name();
        break;
      case Part::tolerations:
        spec.allowed.tolerations = allowed.tolerations;
        spec.required.tolerations = required.tolerations;
        if (gives) spec.defaults.tolerations = {{toleration(), {}}, {toleration(), {}}};
        break;
      case Part::node_affinity:
      case Part::pod_affinity:
        spec.allowed.affinities = allowed.affinities;
        spec.required.affinities = required.affinities;
        if (gives) spec.defaults.affinity = given_affinity();
        break;
      case Part::spread_constraints:
        spec.allowed.topology_spread_constraints = allowed.topology_spread_constraints;
        break;
      case Part::allowed_names:
        spec.allowed.scheduling_gates = allowed.scheduling_gates;
        spec.allowed.resource_claims = allowed.resource_claims;
        break;
    }
    return spec;
  }

  Part part_;
};

/// Every list of at most `most` of them, in one order.
template <class T>
std::vector<std::vector<T>> lists_of(const std::vector<T>& items, std::size_t most) {
  std::vector<std::vector<T>> all = {{}};
  for (std::size_t begin = 0, size = 1; size <= most; ++size) {
    const std::size_t end = all.size();
    for (; begin < end; ++begin)
      for (const T& item : items) {
        all.push_back(all[begin]);
        all.back().push_back(item);
      }
  }
  return all;
}

inline std::vector<PodSpec> Universe::pods(Part part) {
  std::vector<PodSpec> all;
  std::vector<std::string> or_none = words;
  or_none.insert(or_none.begin(), "");
  switch (part) {
    case Part::names:
      for (const std::string& name : or_none)
        for (const char* node : {"", "n"})
          all.push_back({.scheduler_name = name, .node_name = node});
      all.push_back({.scheduler_name = "default-scheduler"});
      break;
    case Part::other_names:
      all.emplace_back();
      for_each_other_name([&](const auto& row) {
        const std::vector<PodSpec> without = std::exchange(all, {});
        for (const PodSpec& pod : without) {
          for (const std::string& name : or_none) {
            all.push_back(pod);
            all.back().*row.in_pod = name;
          }
        }
      });
      break;
    case Part::node_selector:
      for (const std::string& a : or_none)
        for (const std::string& b : or_none)
          for (const std::string& c : or_none) {
            Labels& pairs = all.emplace_back().node_selector;
            if (!a.empty()) pairs["a"] = a;
            if (!b.empty()) pairs["b"] = b;
            if (!c.empty()) pairs["c"] = c;
          }
      break;
    case Part::tolerations: {
      std::vector<Toleration> tolerations;
      for (const char* key : {"a", "b", "c"})
        for (const char* value : {"", "a", "b", "c", "exists"})
          for (const TaintEffect effect :
               {TaintEffect::unset, TaintEffect::no_schedule, TaintEffect::prefer_no_schedule})
            for (const bool seconds : {false, true}) {
              const bool exists = value == std::string("exists");
              tolerations.push_back(
                  {key, exists ? TolerationOperator::exists : TolerationOperator::equal,
                   exists ? "" : value, effect,
                   seconds ? std::optional<std::int64_t>(1) : std::nullopt});
            }
      for (auto& list : lists_of(tolerations, 2)) all.push_back({.tolerations = std::move(list)});
      break;
    }
    case Part::node_affinity: {
      std::vector<NodeSelectorRequirement> expressions;
      for (const char* key : {"a", "b", "c"}) {
        for (const Texts& values : {Texts{"a"}, Texts{"b"}, Texts{"c"}, Texts{"a", "b"}})
          expressions.push_back({key, NodeSelectorOperator::in, values});
        expressions.push_back({key, NodeSelectorOperator::exists, {}});
      }
      std::vector<NodeSelectorTerm> terms;
      for (auto& list : lists_of(expressions, 2)) terms.push_back({std::move(list), {}});
      terms.push_back({{}, {{"f", NodeSelectorOperator::in, {"v"}}}});
      all.emplace_back();
      for (std::size_t i = 0; i < terms.size(); ++i) {
        NodeAffinity required;
        required.required_during_scheduling_ignored_during_execution = NodeSelector{{terms[i]}};
        all.emplace_back().affinity.emplace().node_affinity = required;
        required.required_during_scheduling_ignored_during_execution->node_selector_terms.push_back(
            terms[(i * 7 + 3) % terms.size()]);
        all.emplace_back().affinity.emplace().node_affinity = required;
        required.preferred_during_scheduling_ignored_during_execution = {
            {1, terms[(i * 5 + 1) % terms.size()]}};
        all.emplace_back().affinity.emplace().node_affinity = required;
        NodeAffinity preferred;
        preferred.preferred_during_scheduling_ignored_during_execution = {{1, terms[i]}};
        all.emplace_back().affinity.emplace().node_affinity = preferred;
      }
      // What a default may give, alone and beside a preference.
      for (const auto& both : lists_of(given_terms(), 2)) {
        if (both.size() < 2) continue;
        NodeAffinity required;
        required.required_during_scheduling_ignored_during_execution = NodeSelector{both};
        all.emplace_back().affinity.emplace().node_affinity = required;
        required.preferred_during_scheduling_ignored_during_execution = {
            {1, terms[(all.size() * 5 + 1) % terms.size()]}};
        all.emplace_back().affinity.emplace().node_affinity = required;
      }
      break;
    }
    case Part::pod_affinity: {
      std::vector<PodAffinityTerm> terms;
      for (const char* key : {"a", "b", "c"}) terms.push_back({.topology_key = key});
      for (const auto& required : lists_of(terms, 3))
        for (const auto& preferred : lists_of(terms, 2)) {
          PodAffinity& affinity = all.emplace_back().affinity.emplace().pod_anti_affinity.emplace();
          affinity.required_during_scheduling_ignored_during_execution = required;
          for (const PodAffinityTerm& term : preferred)
            affinity.preferred_during_scheduling_ignored_during_execution.push_back({1, term});
        }
      break;
    }
    case Part::spread_constraints: {
      std::vector<TopologySpreadConstraint> constraints;
      for (const std::string& key : or_none)
        for (const WhenUnsatisfiable word :
             {WhenUnsatisfiable::unset, WhenUnsatisfiable::do_not_schedule,
              WhenUnsatisfiable::schedule_anyway})
          constraints.push_back({.max_skew = 1, .topology_key = key, .when_unsatisfiable = word});
      for (auto& list : lists_of(constraints, 2))
        all.push_back({.topology_spread_constraints = std::move(list)});
      break;
    }
    case Part::allowed_names: {
      std::vector<PodSchedulingGate> gates;
      std::vector<PodResourceClaim> claims;
      for (const std::string& name : words) gates.push_back({name});
      for (const std::string& claim : or_none)
        for (const std::string& of_template : or_none) claims.push_back({"c", claim, of_template});
      for (const auto& some_gates : lists_of(gates, 2))
        for (const auto& some_claims : lists_of(claims, 1))
          all.push_back({.scheduling_gates = some_gates, .resource_claims = some_claims});
      break;
    }
  }
  return all;
}

}  // namespace schedpol::testing
