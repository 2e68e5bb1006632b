// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of an effective policy in the form in which they are asked. Asking takes as long for
/// ten thousand entries as for ten.

#include <schedpol/scheduling_policy/pattern.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// How paths name the modes of affinity.
inline constexpr std::string_view required_mode = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view preferred_mode =
    "preferredDuringSchedulingIgnoredDuringExecution";

/// What one list of expressions in the terms of a mode may hold by several rules; `everything` is
/// any expression with an operator of Kubernetes.
inline PatternIndex permitted_in(std::optional<std::vector<RequirementPattern>> TermPattern::*list,
                                 const std::vector<const NodeAffinityRule*>& rules,
                                 bool everything) {
  const RequirementPattern anything{any, any, any};
  std::vector<const RequirementPattern*> listed;
  for (const NodeAffinityRule* rule : rules) {
    for (const TermPattern& term : rule->node_selector_terms) {
      if (!(term.*list)) continue;
      everything |= (term.*list)->empty();
      for (const RequirementPattern& pattern : *(term.*list)) listed.push_back(&pattern);
    }
  }
  if (everything) listed.push_back(&anything);
  return PatternIndex(listed);
}

/// One list of expressions in a required term: what it must hold.
struct RequiredList {
  bool at_least_one = false;
  std::vector<Pattern> patterns;

  RequiredList() = default;
  explicit RequiredList(const std::optional<std::vector<RequirementPattern>>& list)
      : at_least_one(list && list->empty()) {
    if (!list) return;
    for (const RequirementPattern& pattern : *list) patterns.emplace_back(pattern);
  }

  [[nodiscard]] bool holds(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    if (at_least_one && requirements.empty()) return false;
    return std::all_of(patterns.begin(), patterns.end(), [&](const Pattern& pattern) {
      return std::any_of(requirements.begin(), requirements.end(),
                         [&](const auto& requirement) { return pattern.matches(requirement); });
    });
  }
};

/// A required term pattern. The term `{}` says nothing that could hold, so it never does.
struct RequiredTerm {
  bool satisfiable = false;
  RequiredList expressions;
  RequiredList fields;

  explicit RequiredTerm(const TermPattern& pattern)
      : satisfiable(pattern.match_expressions || pattern.match_fields),
        expressions(pattern.match_expressions),
        fields(pattern.match_fields) {}

  [[nodiscard]] bool holds(const NodeSelectorTerm& term) const noexcept {
    return satisfiable && expressions.holds(term.match_expressions) &&
           fields.holds(term.match_fields);
  }
};

/// What holds for a mode of any kind of affinity. What is required is permitted too.
struct ModeLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool any = false;        ///< the mode itself is permitted whole
  bool asked = false;      ///< `required` asks for a term in the mode, whichever
};

inline const NodeSelectorTerm& expressions_of(const NodeSelectorTerm& term) noexcept {
  return term;
}
inline const NodeSelectorTerm& expressions_of(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const std::string& topology_key_of(const PodAffinityTerm& term) noexcept {
  return term.topology_key;
}
inline const std::string& topology_key_of(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term.topology_key;
}

struct NodeModeLookup : ModeLookup {
  PatternIndex expressions;
  PatternIndex fields;
  std::vector<RequiredTerm> required;

  /// Whether every expression of every term is permitted by itself. Not inlined, because it takes
  /// all registers.
  template <class Term>
  [[nodiscard, gnu::noinline]] bool permits_each(const std::vector<Term>& terms) const noexcept {
    for (const Term& term : terms) {
      for (const NodeSelectorRequirement& requirement : expressions_of(term).match_expressions) {
        if (!expressions.matches(requirement)) return false;
      }
      const std::vector<NodeSelectorRequirement>& of_fields = expressions_of(term).match_fields;
      if (!of_fields.empty() && !fields.match_each(of_fields)) return false;
    }
    return true;
  }

  void permit(const std::vector<const NodeAffinityRule*>& rules) {
    for (const NodeAffinityRule* rule : rules) any |= rule->node_selector_terms.empty();
    expressions = permitted_in(&TermPattern::match_expressions, rules, any);
    fields = permitted_in(&TermPattern::match_fields, rules, any);
  }
  void require(const NodeAffinityRule& rule) {
    for (const TermPattern& term : rule.node_selector_terms) required.emplace_back(term);
    asked = rule.node_selector_terms.empty();
  }
};

struct PodModeLookup : ModeLookup {
  TextSet topology_keys;
  TextSet required;

  template <class Term>
  [[nodiscard]] bool permits(const Term& term) const noexcept {
    return any || topology_keys.contains(topology_key_of(term));
  }
  template <class Term>
  [[nodiscard]] bool permits_each(const std::vector<Term>& terms) const noexcept {
    return std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return permits(term); });
  }

  void permit(const std::vector<const PodAffinityRule*>& rules) {
    std::vector<std::string> keys;
    for (const PodAffinityRule* rule : rules) {
      keys.insert(keys.end(), rule->topology_keys.begin(), rule->topology_keys.end());
      any |= rule->topology_keys.empty();
    }
    topology_keys = text_set(keys);
  }
  void require(const PodAffinityRule& rule) {
    required = text_set(rule.topology_keys);
    asked = rule.topology_keys.empty();
  }
};

/// The terms of a mode; null where there are none.
template <class T>
const std::vector<T>* terms_of(const std::vector<T>& terms) noexcept {
  return terms.empty() ? nullptr : &terms;
}
inline const std::vector<NodeSelectorTerm>* terms_of(
    const std::optional<NodeSelector>& selector) noexcept {
  return selector ? terms_of(selector->node_selector_terms) : nullptr;
}

/// Whether a mode permits each of its terms, null where it has none, by what it lists.
template <class Mode, class Terms>
[[gnu::always_inline]] inline bool permits_each(const Mode& mode, const Terms* terms) noexcept {
  return terms == nullptr || (mode.mentioned && mode.permits_each(*terms));
}

/// One kind of affinity.
template <class Mode>
struct KindLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool asked = false;      ///< `required` asks for a term of the kind, in whichever mode
  Mode required_during_scheduling_ignored_during_execution;
  Mode preferred_during_scheduling_ignored_during_execution;

  /// Whether both modes permit what they have of this kind by what they list.
  template <class Kind>
  [[nodiscard, gnu::always_inline]] bool permits(const Kind& kind) const noexcept {
    return permits_each(required_during_scheduling_ignored_during_execution,
                        terms_of(kind.required_during_scheduling_ignored_during_execution)) &&
           permits_each(preferred_during_scheduling_ignored_during_execution,
                        terms_of(kind.preferred_during_scheduling_ignored_during_execution));
  }

  KindLookup() = default;
  /// `any`: the kind is permitted whole, whatever the two say.
  template <class Rule>
  KindLookup(const std::optional<AffinityModes<Rule>>& required,
             const std::optional<AffinityModes<Rule>>& allowed, bool any)
      : mentioned(any || required || allowed), asked(required == AffinityModes<Rule>{}) {
    any = any || asked || allowed == AffinityModes<Rule>{};
    const auto fill = [&](Mode& mode, std::optional<Rule> AffinityModes<Rule>::*rule) {
      std::vector<const Rule*> rules;
      if (required && (*required).*rule) {
        rules.push_back(&*((*required).*rule));
        mode.require(*rules.front());
      }
      if (allowed && (*allowed).*rule) rules.push_back(&*((*allowed).*rule));
      mode.mentioned = any || !rules.empty();
      mode.any = any;
      mode.permit(rules);
    };
    fill(required_during_scheduling_ignored_during_execution,
         &AffinityModes<Rule>::required_during_scheduling_ignored_during_execution);
    fill(preferred_during_scheduling_ignored_during_execution,
         &AffinityModes<Rule>::preferred_during_scheduling_ignored_during_execution);
  }
};

/// All rules of a merged spec.
struct Lookup {
  TextRule scheduler_names;       ///< the required, where any are required, otherwise all permitted
  TextRule priority_class_names;  ///< the same

  std::vector<std::pair<std::string, TextRule>>
      required_node_selectors;       ///< in byte order of the keys
  TextMap<TextRule> node_selectors;  ///< all keys that are mentioned, the required with any value
  bool any_node_selector = false;    ///< the other keys are permitted too

  std::vector<Pattern> required_tolerations;
  PatternIndex tolerations;                     ///< what `required` and `allowed` list
  std::vector<Toleration> default_tolerations;  ///< one for each value, each once
  TolerationSet default_toleration_set;         ///< the same

  bool required_affinities = false;  ///< `required` mentions a kind of affinity
  KindLookup<NodeModeLookup> node_affinity;
  KindLookup<PodModeLookup> pod_affinity;
  KindLookup<PodModeLookup> pod_anti_affinity;

  /// The default's required node terms as one term that asks for all of them, where `required`
  /// lists terms and the default has several; otherwise without terms.
  NodeSelector joined_default_terms;

  Lookup() = default;
  explicit Lookup(const SchedulingPolicySpec& spec)
      : scheduler_names(permitted(spec.required.scheduler_names, spec.allowed.scheduler_names,
                                  spec.defaults.scheduler_name)),
        priority_class_names(permitted(spec.required.priority_class_names,
                                       spec.allowed.priority_class_names,
                                       spec.defaults.priority_class_name)) {
    add_node_selectors(spec);
    add_tolerations(spec);
    add_affinities(spec);
    join_default_terms(spec);
  }

 private:
  static TextRule permitted(const Names& required, const Names& allowed,
                            const std::optional<std::string>& given) {
    return required ? TextRule(required) : TextRule(allowed, given ? &*given : nullptr);
  }

  void add_node_selectors(const SchedulingPolicySpec& spec) {
    const Labels none;
    const Labels& given = spec.defaults.node_selector ? *spec.defaults.node_selector : none;
    std::map<std::string_view, TextRule> rules;
    if (spec.required.node_selectors) {
      for (const auto& [key, values] : *spec.required.node_selectors) {
        required_node_selectors.emplace_back(key, TextRule(values));
        rules.try_emplace(key, TextRule(any));
      }
    }
    if (spec.allowed.node_selectors) {
      any_node_selector = spec.allowed.node_selectors->empty();
      for (const auto& [key, values] : *spec.allowed.node_selectors) {
        rules.try_emplace(key, TextRule(values, find_label(given, key)));
      }
    }
    for (const auto& [key, value] : given) {
      rules.try_emplace(key, TextRule(std::nullopt, &value));
    }
    node_selectors = TextMap<TextRule>(std::move(rules));
  }

  void add_tolerations(const SchedulingPolicySpec& spec) {
    std::vector<const TolerationPattern*> patterns;
    if (spec.required.tolerations) {
      for (const TolerationPattern& pattern : *spec.required.tolerations) {
        required_tolerations.emplace_back(pattern);
        patterns.push_back(&pattern);
      }
    }
    const TolerationPattern anything{any, any, any, any};
    if (spec.allowed.tolerations) {
      if (spec.allowed.tolerations->empty()) patterns.push_back(&anything);
      for (const TolerationPattern& pattern : *spec.allowed.tolerations) {
        patterns.push_back(&pattern);
      }
    }
    tolerations = PatternIndex(patterns);
    if (!spec.defaults.tolerations) return;
    const auto add_default = [&](const Toleration& toleration) {
      if (default_toleration_set.insert(toleration).second) {
        default_tolerations.push_back(toleration);
      }
    };
    for (const DefaultToleration& entry : *spec.defaults.tolerations) {
      Toleration toleration = entry.toleration;
      if (!entry.values) add_default(toleration);
      if (!entry.values) continue;
      for (const std::string& value : *entry.values) {
        toleration.value = value;
        add_default(toleration);
      }
    }
  }

  void join_default_terms(const SchedulingPolicySpec& spec) {
    if (node_affinity.required_during_scheduling_ignored_during_execution.required.empty()) return;
    if (!spec.defaults.affinity || !spec.defaults.affinity->node_affinity) return;
    const auto& selector =
        spec.defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (!selector || selector->node_selector_terms.size() < 2) return;
    const auto add = [](auto& joined, const auto& requirements) {
      for (const NodeSelectorRequirement& requirement : requirements) {
        if (std::find(joined.begin(), joined.end(), requirement) == joined.end())
          joined.push_back(requirement);
      }
    };
    NodeSelectorTerm joined;
    for (const NodeSelectorTerm& term : selector->node_selector_terms) {
      add(joined.match_expressions, term.match_expressions);
      add(joined.match_fields, term.match_fields);
    }
    joined_default_terms.node_selector_terms.push_back(std::move(joined));
  }

  void add_affinities(const SchedulingPolicySpec& spec) {
    const bool any = spec.allowed.affinities == AffinityRules{};
    const AffinityRules none;
    const AffinityRules& required = spec.required.affinities ? *spec.required.affinities : none;
    const AffinityRules& allowed = spec.allowed.affinities ? *spec.allowed.affinities : none;
    required_affinities = required != none;
    node_affinity = {required.node_affinities, allowed.node_affinities, any};
    pod_affinity = {required.pod_affinities, allowed.pod_affinities, any};
    pod_anti_affinity = {required.pod_anti_affinities, allowed.pod_anti_affinities, any};
  }
};

}  // namespace schedpol::scheduling_policy::detail
