// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fixes, and how far each is from its pod.

#include <schedpol/insight/impl/pod_fixer.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace fixes {

using namespace schedpol;
using namespace schedpol::scheduling_policy;

/// Of what is small enough to find out.
inline Optional<Fix> find_fix(const Pod& pod, const EffectivePolicy& policy,
                              const Options& options = {}) {
  auto found = nearest_fix(pod, policy, options);
  REQUIRE(found);
  return *std::move(found);
}

/// How many items have to be added, removed or replaced.
template <class List>
std::size_t edits(const List& from, const List& to, std::size_t i = 0, std::size_t j = 0) {
  if (i == from.size()) return to.size() - j;
  if (j == to.size()) return from.size() - i;
  if (from[i] == to[j]) return edits(from, to, i + 1, j + 1);
  return 1 + std::min({edits(from, to, i + 1, j + 1), edits(from, to, i + 1, j),
                       edits(from, to, i, j + 1)});
}

inline std::vector<NodeSelectorTerm> required(const std::optional<NodeAffinity>& kind) {
  if (!kind || !kind->required_during_scheduling_ignored_during_execution) return {};
  return kind->required_during_scheduling_ignored_during_execution->node_selector_terms;
}

inline std::size_t edits(const PodSpec& from, const PodSpec& to) {
  std::size_t all = 0;
  schedpol::scheduling_policy::for_each_row([&](const auto& row) {
    if constexpr (std::is_same_v<decltype(row.in_pod), std::string PodSpec::*>)
      all += from.*row.in_pod != to.*row.in_pod;
  });
  for (const auto& [key, value] : from.node_selector) {
    const std::string* other = find_label(to.node_selector, key);
    all += other == nullptr || *other != value;
  }
  for (const auto& [key, value] : to.node_selector) all += !from.node_selector.contains(key);
  all += edits(from.tolerations, to.tolerations);
  all += edits(from.topology_spread_constraints, to.topology_spread_constraints);
  all += edits(from.scheduling_gates, to.scheduling_gates);
  all += edits(from.resource_claims, to.resource_claims);
  const Affinity a = from.affinity.value_or(Affinity{});
  const Affinity b = to.affinity.value_or(Affinity{});
  all += edits(required(a.node_affinity), required(b.node_affinity));
  const auto node = [](const Affinity& affinity) {
    return affinity.node_affinity.value_or(NodeAffinity{})
        .preferred_during_scheduling_ignored_during_execution;
  };
  const auto pod = [](const Affinity& affinity) {
    return affinity.pod_anti_affinity.value_or(PodAffinity{});
  };
  all += edits(node(a), node(b));
  all += edits(pod(a).required_during_scheduling_ignored_during_execution,
               pod(b).required_during_scheduling_ignored_during_execution);
  return all + edits(pod(a).preferred_during_scheduling_ignored_during_execution,
                     pod(b).preferred_during_scheduling_ignored_during_execution);
}

inline EffectivePolicy effective(SchedulingPolicySpec spec) {
  return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = std::move(spec)}});
}

inline std::vector<std::string> texts(const std::optional<Fix>& fix) {
  std::vector<std::string> all;
  if (!fix) return {"none"};
  for (const Change& change : fix->changes) all.push_back(message(change));
  return all;
}

/// Terms of pod affinity, called after their topology keys.
inline std::vector<PodAffinityTerm> terms_called(const std::vector<char>& names) {
  std::vector<PodAffinityTerm> terms;
  for (const char name : names) terms.push_back({.topology_key = std::string(1, name)});
  return terms;
}
using Asks = void (*)(PodSpec&);

}  // namespace fixes
