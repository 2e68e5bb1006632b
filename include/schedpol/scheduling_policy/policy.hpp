// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations and affinities pods must, may and by default do use.
///
/// Absent, empty and listed differ everywhere in `required` and `allowed`. In `allowed` an absent
/// field permits nothing, an empty one everything, a listed one what it lists. In `required` an
/// absent field asks for nothing, and an empty list asks for nothing either (`validate` refuses
/// it). Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/core/toleration.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy {

/// A list of texts of which absent, empty and listed mean different things.
using Names = std::optional<std::vector<std::string>>;

/// An empty list or map, which permits everything where it stands: `.scheduler_names = any` says
/// `schedulerNames: []`. Braces alone do not say it: `{}` is absent.
struct Any {
  template <class T>
  constexpr operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return T{};
  }
};
inline constexpr Any any{};

/// Node selector keys and the values each may have: an empty list is any value, an absent one (a
/// null in the document) is none.
using NodeSelectors = std::map<std::string, Names, std::less<>>;

/// Which tolerations are meant: those whose key, operator, value and effect all match. An empty
/// list matches anything, an absent one nothing, except `values`, which absent matches a toleration
/// without a value.
struct TolerationPattern {
  Names keys{};
  std::optional<std::vector<OpenEnum<TolerationOperator>>> operators{};
  Names values{};
  std::optional<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Which node selector requirements are meant: those whose key and operator match and of whose
/// values every one is listed. Lists read as in TolerationPattern.
struct RequirementPattern {
  Names keys{};
  std::optional<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  Names values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions a term may hold, none where the list is absent and any where it is
/// empty. In `required`: the patterns a term has to hold; an empty list asks for at least one
/// expression. With both absent it permits nothing and is never satisfied.
struct TermPattern {
  std::optional<std::vector<RequirementPattern>> match_expressions{};
  std::optional<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity; without terms, anything in that mode.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity; without topology keys, anything in that mode.
struct PodAffinityRule {
  std::vector<std::string> topology_keys{};

  friend bool operator==(const PodAffinityRule&, const PodAffinityRule&) = default;
};

/// One kind of affinity: its two modes. Without either, any affinity of the kind.
template <class Rule>
struct AffinityModes {
  std::optional<Rule> required_during_scheduling_ignored_during_execution{};
  std::optional<Rule> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const AffinityModes&, const AffinityModes&) = default;
};

using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity. Without any of them, in `allowed`, any affinity of any kind.
struct AffinityRules {
  std::optional<NodeAffinityRules> node_affinities{};
  std::optional<PodAffinityRules> pod_affinities{};
  std::optional<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// The `required` or the `allowed` section.
struct Rules {
  Names scheduler_names{};
  Names priority_class_names{};
  std::optional<NodeSelectors> node_selectors{};
  std::optional<std::vector<TolerationPattern>> tolerations{};
  std::optional<AffinityRules> affinities{};

  friend bool operator==(const Rules&, const Rules&) = default;
};

/// A toleration to give to pods; with `values`, one for each of them (and `toleration.value` is not
/// used).
struct DefaultToleration {
  Toleration toleration{};
  Names values{};

  friend bool operator==(const DefaultToleration&, const DefaultToleration&) = default;
};

/// The `default` section: what a pod gets that does not specify it. An empty field gives nothing.
struct Defaults {
  std::optional<std::string> scheduler_name{};
  std::optional<std::string> priority_class_name{};
  std::optional<Labels> node_selector{};
  std::optional<std::vector<DefaultToleration>> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const Defaults&, const Defaults&) = default;
};

struct SchedulingPolicySpec {
  Rules required{};
  Rules allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

namespace detail {

/// An item of a list; an empty one is `""`, so that a list of it is not taken for an empty list.
inline void append_item(std::string& text, std::string_view item) {
  append_escaped(text, item, ",[]{}: \"");
  if (item.empty()) text += "\"\"";
}
template <class Word>
void append_item(std::string& text, const OpenEnum<Word>& item) {
  append_item(text, item.text());
}
inline void append_item(std::string& text, const RequirementPattern& item);

/// `name: [a, b]` after what stands there already; nothing for an absent list.
template <class List>
void append_list(std::string& text, std::string_view name, const std::optional<List>& list) {
  if (!list) return;
  if (text.back() != '{') text += ", ";
  text.append(name).append(": [");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (i > 0) text += ", ";
    append_item(text, (*list)[i]);
  }
  text += ']';
}

inline void append_item(std::string& text, const RequirementPattern& item) {
  text += '{';
  append_list(text, "keys", item.keys);
  append_list(text, "operators", item.operators);
  append_list(text, "values", item.values);
  text += '}';
}

}  // namespace detail

/// Patterns on one line, as YAML writes them in flow style; different patterns have different
/// texts.
[[nodiscard]] inline std::string to_string(const TolerationPattern& pattern) {
  std::string text = "{";
  detail::append_list(text, "keys", pattern.keys);
  detail::append_list(text, "operators", pattern.operators);
  detail::append_list(text, "values", pattern.values);
  detail::append_list(text, "effects", pattern.effects);
  return text + "}";
}
[[nodiscard]] inline std::string to_string(const TermPattern& pattern) {
  std::string text = "{";
  detail::append_list(text, "matchExpressions", pattern.match_expressions);
  detail::append_list(text, "matchFields", pattern.match_fields);
  return text + "}";
}

}  // namespace schedpol::scheduling_policy
