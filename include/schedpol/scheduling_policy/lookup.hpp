// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rules of an effective policy in the form in which they are asked: hashed names, and patterns
/// found by the key they list. Built once by a merge, then only read. Nothing here allocates while
/// it is asked, and asking takes as long for ten thousand entries as for ten.

#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// A list of texts of which absent permits nothing and empty everything.
class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const Names& names) : absent_(!names), any_(names && names->empty()) {
    if (names) listed_.insert(names->begin(), names->end());
  }

  [[nodiscard]] bool absent() const noexcept { return absent_; }
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || (!absent_ && listed_.contains(text));
  }

 private:
  bool absent_ = true;
  bool any_ = false;
  TextSet listed_;
};

template <class Word>
constexpr std::uint32_t bit(Word word) noexcept {
  return 1U << static_cast<unsigned>(word);
}

/// The words of a list as bits, all of `every` where it is empty and none where it is absent. Words
/// that are not in the vocabulary have no bit: nothing is permitted by or to them.
template <class Word>
std::uint32_t bits(const std::optional<std::vector<OpenEnum<Word>>>& words,
                   std::uint32_t every) noexcept {
  if (!words) return 0;
  if (words->empty()) return every;
  std::uint32_t mask = 0;
  for (const auto& word : *words) mask |= bit(word.word());
  return mask & every;
}

/// A pattern for a toleration or for a node selector requirement; the latter has no effects.
struct Pattern {
  TextRule keys;
  std::uint32_t operators = 0;
  TextRule values;
  std::uint32_t effects = 0;
};

inline constexpr std::uint32_t every_effect = bit(TaintEffect::no_schedule) |
                                              bit(TaintEffect::prefer_no_schedule) |
                                              bit(TaintEffect::no_execute);

inline Pattern compile(const TolerationPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(TolerationOperator::equal) | bit(TolerationOperator::exists) |
      bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
  Pattern compiled{TextRule(pattern.keys), bits(pattern.operators, every_operator),
                   TextRule(pattern.values), bits(pattern.effects, every_effect)};
  // An empty operator is Equal in patterns as it is in tolerations.
  if (pattern.operators && std::find(pattern.operators->begin(), pattern.operators->end(),
                                     TolerationOperator::unset) != pattern.operators->end()) {
    compiled.operators |= bit(TolerationOperator::equal);
  }
  return compiled;
}

inline Pattern compile(const RequirementPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return {TextRule(pattern.keys), bits(pattern.operators, every_operator), TextRule(pattern.values),
          0};
}

/// The effects a toleration asks for: its own, or all three when it names none.
inline std::uint32_t asked_effects(const OpenEnum<TaintEffect>& effect) noexcept {
  return effect == TaintEffect::unset ? every_effect : bit(effect.word());
}

/// Whether all but the key of a toleration with these effects is what the pattern means.
inline bool matches_but_key(const Pattern& pattern, const Toleration& toleration,
                            std::uint32_t effects) noexcept {
  const TolerationOperator word = toleration.operator_ == TolerationOperator::unset
                                      ? TolerationOperator::equal
                                      : toleration.operator_.word();
  if ((pattern.operators & bit(word)) == 0 || (effects & ~pattern.effects) != 0) return false;
  if (word == TolerationOperator::exists) return pattern.values.absent() || pattern.values.any();
  return (toleration.value.empty() && pattern.values.absent()) ||
         pattern.values.permits(toleration.value);
}

/// Whether all but the key of a requirement is what the pattern means.
inline bool matches_but_key(const Pattern& pattern,
                            const NodeSelectorRequirement& requirement) noexcept {
  if ((pattern.operators & bit(requirement.operator_.word())) == 0) return false;
  if (requirement.values.empty()) return pattern.values.absent() || pattern.values.any();
  return std::all_of(requirement.values.begin(), requirement.values.end(),
                     [&](const std::string& value) { return pattern.values.permits(value); });
}

/// An empty key is matched by "any" alone, even where the empty text is listed.
inline bool matches_key(const Pattern& pattern, std::string_view key) noexcept {
  return pattern.keys.any() || (!key.empty() && pattern.keys.permits(key));
}

/// Many patterns, found by the keys they list.
class PatternIndex {
 public:
  template <class Source>
  void add(const Source& source) {
    const std::size_t index = patterns_.size();
    patterns_.push_back(compile(source));
    if (!source.keys) return;
    if (source.keys->empty()) any_key_.push_back(index);
    for (const std::string& key : *source.keys) {
      auto& listed = by_key_[key];
      if (listed.empty() || listed.back() != index) listed.push_back(index);
    }
  }

  /// Whether a pattern matches the toleration, taken as one with these effects.
  [[nodiscard]] bool matches(const Toleration& toleration, std::uint32_t effects) const noexcept {
    return any_for(toleration.key,
                   [&](const Pattern& p) { return matches_but_key(p, toleration, effects); });
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return any_for(requirement.key,
                   [&](const Pattern& p) { return matches_but_key(p, requirement); });
  }

 private:
  template <class Predicate>
  bool any_for(std::string_view key, Predicate&& predicate) const noexcept {
    const auto holds = [&](std::size_t index) { return predicate(patterns_[index]); };
    if (std::any_of(any_key_.begin(), any_key_.end(), holds)) return true;
    if (key.empty()) return false;
    const auto listed = by_key_.find(key);
    return listed != by_key_.end() &&
           std::any_of(listed->second.begin(), listed->second.end(), holds);
  }

  std::vector<Pattern> patterns_;
  std::vector<std::size_t> any_key_;
  TextMap<std::vector<std::size_t>> by_key_;
};

/// One list of expressions in the terms of a mode: what it may hold.
struct RequirementLookup {
  bool any = false;
  PatternIndex patterns;

  void permit(const std::optional<std::vector<RequirementPattern>>& list) {
    if (!list) return;
    if (list->empty()) any = true;
    for (const RequirementPattern& pattern : *list) patterns.add(pattern);
  }
  [[nodiscard]] bool permits(const NodeSelectorRequirement& requirement) const noexcept {
    return requirement.operator_.known() && (any || patterns.matches(requirement));
  }
};

/// One list of expressions in a required term: what it must hold.
struct RequiredList {
  bool at_least_one = false;
  std::vector<Pattern> patterns;

  RequiredList() = default;
  explicit RequiredList(const std::optional<std::vector<RequirementPattern>>& list)
      : at_least_one(list && list->empty()) {
    if (!list) return;
    for (const RequirementPattern& pattern : *list) patterns.push_back(compile(pattern));
  }

  [[nodiscard]] bool holds(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    if (at_least_one && requirements.empty()) return false;
    return std::all_of(patterns.begin(), patterns.end(), [&](const Pattern& pattern) {
      return std::any_of(requirements.begin(), requirements.end(), [&](const auto& requirement) {
        return matches_key(pattern, requirement.key) && matches_but_key(pattern, requirement);
      });
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

/// What holds for a mode of any kind of affinity.
struct ModeLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool any = false;        ///< the mode itself is permitted whole
  bool asked = false;      ///< `required` asks for a term in the mode, whichever
};

struct NodeModeLookup : ModeLookup {
  RequirementLookup expressions;
  RequirementLookup fields;
  std::vector<RequiredTerm> required;

  void permit(const NodeAffinityRule& rule) {
    for (const TermPattern& term : rule.node_selector_terms) {
      expressions.permit(term.match_expressions);
      fields.permit(term.match_fields);
    }
    any |= rule.node_selector_terms.empty();
  }
  void require(const NodeAffinityRule& rule) {
    for (const TermPattern& term : rule.node_selector_terms) required.emplace_back(term);
    asked |= rule.node_selector_terms.empty();
  }
};

struct PodModeLookup : ModeLookup {
  TextSet topology_keys;
  TextSet required;

  void permit(const PodAffinityRule& rule) {
    topology_keys.insert(rule.topology_keys.begin(), rule.topology_keys.end());
    any |= rule.topology_keys.empty();
  }
  void require(const PodAffinityRule& rule) {
    required.insert(rule.topology_keys.begin(), rule.topology_keys.end());
    asked |= rule.topology_keys.empty();
  }
};

/// One kind of affinity.
template <class Mode>
struct KindLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool asked = false;      ///< `required` asks for a term of the kind, in whichever mode
  Mode required_during_scheduling_ignored_during_execution;
  Mode preferred_during_scheduling_ignored_during_execution;

  template <class Rule>
  void permit(const AffinityModes<Rule>& modes) {
    mentioned = true;
    if (modes == AffinityModes<Rule>{}) permit_any();
    permit(required_during_scheduling_ignored_during_execution,
           modes.required_during_scheduling_ignored_during_execution);
    permit(preferred_during_scheduling_ignored_during_execution,
           modes.preferred_during_scheduling_ignored_during_execution);
  }

  template <class Rule>
  void require(const AffinityModes<Rule>& modes) {
    permit(modes);  // what is required is allowed
    asked |= modes == AffinityModes<Rule>{};
    if (const auto& rule = modes.required_during_scheduling_ignored_during_execution) {
      required_during_scheduling_ignored_during_execution.require(*rule);
    }
    if (const auto& rule = modes.preferred_during_scheduling_ignored_during_execution) {
      preferred_during_scheduling_ignored_during_execution.require(*rule);
    }
  }

  void permit_any() {
    mentioned = true;
    for (Mode* mode : {&required_during_scheduling_ignored_during_execution,
                       &preferred_during_scheduling_ignored_during_execution}) {
      mode->mentioned = true;
      mode->any = true;
    }
  }

 private:
  template <class Rule>
  static void permit(Mode& mode, const std::optional<Rule>& rule) {
    if (!rule) return;
    mode.mentioned = true;
    mode.permit(*rule);
  }
};

/// All rules of a merged spec.
struct Lookup {
  TextRule required_scheduler_names;
  TextRule allowed_scheduler_names;
  TextRule required_priority_class_names;
  TextRule allowed_priority_class_names;

  std::vector<std::pair<std::string, TextRule>>
      required_node_selectors;       ///< in byte order of the keys
  TextMap<TextRule> node_selectors;  ///< what `required` and `allowed` list
  bool any_node_selector = false;

  std::vector<Pattern> required_tolerations;
  PatternIndex tolerations;  ///< what `required` and `allowed` list
  bool any_toleration = false;
  std::vector<Toleration> default_tolerations;  ///< one for each value

  KindLookup<NodeModeLookup> node_affinity;
  KindLookup<PodModeLookup> pod_affinity;
  KindLookup<PodModeLookup> pod_anti_affinity;

  /// The default's required node terms as one term that asks for all of them, where `required`
  /// lists terms and the default has several; otherwise without terms.
  NodeSelector joined_default_terms;

  Lookup() = default;
  explicit Lookup(const SchedulingPolicySpec& spec)
      : required_scheduler_names(spec.required.scheduler_names),
        allowed_scheduler_names(spec.allowed.scheduler_names),
        required_priority_class_names(spec.required.priority_class_names),
        allowed_priority_class_names(spec.allowed.priority_class_names) {
    add_node_selectors(spec);
    add_tolerations(spec);
    if (spec.required.affinities) {
      for_each_kind(*spec.required.affinities,
                    [](auto& kind, const auto& rules) { kind.require(rules); });
    }
    if (spec.allowed.affinities) {
      for_each_kind(*spec.allowed.affinities,
                    [](auto& kind, const auto& rules) { kind.permit(rules); });
      if (*spec.allowed.affinities == AffinityRules{}) {
        node_affinity.permit_any();
        pod_affinity.permit_any();
        pod_anti_affinity.permit_any();
      }
    }
    join_default_terms(spec);
  }

 private:
  void add_node_selectors(const SchedulingPolicySpec& spec) {
    if (spec.allowed.node_selectors) {
      any_node_selector = spec.allowed.node_selectors->empty();
      for (const auto& [key, values] : *spec.allowed.node_selectors) {
        node_selectors.try_emplace(key, values);
      }
    }
    if (spec.required.node_selectors) {
      for (const auto& [key, values] : *spec.required.node_selectors) {
        required_node_selectors.emplace_back(key, TextRule(values));
      }
    }
  }

  void add_tolerations(const SchedulingPolicySpec& spec) {
    if (spec.required.tolerations) {
      for (const TolerationPattern& pattern : *spec.required.tolerations) {
        required_tolerations.push_back(compile(pattern));
        tolerations.add(pattern);
      }
    }
    if (spec.allowed.tolerations) {
      any_toleration = spec.allowed.tolerations->empty();
      for (const TolerationPattern& pattern : *spec.allowed.tolerations) tolerations.add(pattern);
    }
    if (!spec.defaults.tolerations) return;
    for (const DefaultToleration& entry : *spec.defaults.tolerations) {
      if (!entry.values) {
        default_tolerations.push_back(entry.toleration);
        continue;
      }
      for (const std::string& value : *entry.values) {
        default_tolerations.push_back(entry.toleration);
        default_tolerations.back().value = value;
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

  template <class F>
  void for_each_kind(const AffinityRules& rules, F&& f) {
    if (rules.node_affinities) f(node_affinity, *rules.node_affinities);
    if (rules.pod_affinities) f(pod_affinity, *rules.pod_affinities);
    if (rules.pod_anti_affinities) f(pod_anti_affinity, *rules.pod_anti_affinities);
  }
};

}  // namespace schedpol::scheduling_policy::detail
