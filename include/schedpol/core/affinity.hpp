// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node affinity, pod affinity and pod anti-affinity (core/v1). In each kind the required terms
/// have to hold for a node, the preferred ones only weigh in.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/text.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

/// `weight` is 1 to 100. An empty preference matches nothing.
struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference{};

  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required_during_scheduling_ignored_during_execution{};
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

/// An absent label selector selects no pods, `{}` all; an absent namespace selector with no
/// namespaces means the pod's own namespace.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector{};
  std::vector<std::string> namespaces{};
  std::string topology_key{};
  std::optional<LabelSelector> namespace_selector{};
  std::vector<std::string> match_label_keys{};
  std::vector<std::string> mismatch_label_keys{};

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

/// `weight` is 1 to 100.
struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm pod_affinity_term{};

  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

struct PodAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution{};
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

/// The same fields with the opposite meaning.
using PodAntiAffinity = PodAffinity;

struct Affinity {
  std::optional<NodeAffinity> node_affinity{};
  std::optional<PodAffinity> pod_affinity{};
  std::optional<PodAntiAffinity> pod_anti_affinity{};

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

/// Whether the kind has a term in either mode; absent, `{}` and lists without terms have none.
[[nodiscard]] inline bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  if (!affinity) return false;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  return (required && !required->node_selector_terms.empty()) ||
         !affinity->preferred_during_scheduling_ignored_during_execution.empty();
}
[[nodiscard]] inline bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

/// One term on one line: its topology key, the pods it selects and where, and the label keys.
[[nodiscard]] inline std::string to_string(const PodAffinityTerm& term) {
  constexpr std::string_view separators = " ,[]{}()";
  std::string text;
  append_escaped(text, term.topology_key, separators);
  text += " with pods " + to_string(term.label_selector);
  const auto append_names = [&](std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text.append(what) += '[';
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) text += ", ";
      append_escaped(text, names[i], separators);
    }
    text += ']';
  };
  append_names(" in namespaces ", term.namespaces);
  if (term.namespace_selector) text += " in namespaces with " + to_string(term.namespace_selector);
  append_names(" of equal ", term.match_label_keys);
  append_names(" of unequal ", term.mismatch_label_keys);
  return text;
}

/// A whole affinity on one line, its terms in their order: `required (disk In [ssd]), preferred 5
/// (zone Exists)`. Affinities with different terms have different texts.
[[nodiscard]] inline std::string to_string(const NodeAffinity& affinity) {
  std::string text;
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
    for (const auto& term : required->node_selector_terms) {
      text += (text.empty() ? "required " : " | ") + to_string(term);
    }
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    text += text.empty() ? "" : ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(term.preference);
  }
  return text;
}
[[nodiscard]] inline std::string to_string(const PodAffinity& affinity) {
  std::string text;
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution) {
    text += (text.empty() ? "required " : " | ") + to_string(term);
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    text += text.empty() ? "" : ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
  }
  return text;
}

}  // namespace schedpol
