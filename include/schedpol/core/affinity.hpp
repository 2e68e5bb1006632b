// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node affinity, pod affinity and pod anti-affinity (core/v1). For each kind, a node must meet the
/// required terms; the preferred terms only add to its score.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node_selector.hpp>

#include <cstdint>

namespace SCHEDPOL_NAMESPACE {

/// The field names of the two modes of affinity.
inline constexpr std::string_view required_mode = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view preferred_mode =
    "preferredDuringSchedulingIgnoredDuringExecution";

/// Whether the API server accepts the weight of a preferred term: 1 to 100.
[[nodiscard]] constexpr bool is_valid_weight(std::int32_t weight) noexcept {
  return weight >= 1 && weight <= 100;
}

/// An empty preference matches no node. A preference with an invalid weight adds nothing to a score.
struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference{};

  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

/// The nodes that a pod requires, and those that it prefers.
struct NodeAffinity {
  std::optional<NodeSelector> required_during_scheduling_ignored_during_execution{};
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

/// `pod_affinity.hpp` says which pods a term selects.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector{};
  Texts namespaces{};
  std::string topology_key{};
  std::optional<LabelSelector> namespace_selector{};
  Texts match_label_keys{};
  Texts mismatch_label_keys{};

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

/// `weight` is 1 to 100.
struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm pod_affinity_term{};

  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

/// The pods that a pod must run beside, and those that it prefers to run beside.
struct PodAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution{};
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

/// The same fields as PodAffinity, with the opposite meaning.
using PodAntiAffinity = PodAffinity;

struct Affinity {
  std::optional<NodeAffinity> node_affinity{};
  std::optional<PodAffinity> pod_affinity{};
  std::optional<PodAntiAffinity> pod_anti_affinity{};

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

/// Whether there is a term in either mode. Absent, `{}` and empty lists have none.
[[nodiscard]] bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept;
[[nodiscard]] bool has_terms(const std::optional<PodAffinity>& affinity) noexcept;

/// One term on one line: its topology key, the selectors of pods and namespaces, and the label keys.
[[nodiscard]] std::string to_string(const PodAffinityTerm& term);

/// An affinity on one line, its terms in order: `required (disk In [ssd]), preferred 5
/// (zone Exists)`. Affinities with different terms have different texts.
[[nodiscard]] std::string to_string(const NodeAffinity& affinity);
[[nodiscard]] std::string to_string(const PodAffinity& affinity);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/affinity.ipp>
#endif
