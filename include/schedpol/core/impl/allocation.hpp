// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is left of a node: rules 1 and 7 of `core/bound_pods.hpp` for one of them.

#include <schedpol/core/impl/alike_pods.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/node_scores.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/resources.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// What a pod requests where allocation is scored: a container without a request for cpu or memory counts with
/// kube-scheduler's DefaultMilliCPURequest and DefaultMemoryRequest.
inline Resources scored_requests(const PodSpec& spec) {
  PodSpec filled;
  filled.init_containers = spec.init_containers;
  filled.containers = spec.containers;
  filled.resources = spec.resources;
  filled.overhead = spec.overhead;
  for (std::vector<Container>* containers : {&filled.init_containers, &filled.containers}) {
    for (Container& container : *containers) {
      ResourceRequirements& resources = container.resources;
      for (const auto& [name, amount] : {std::pair("cpu", "100m"), std::pair("memory", "200Mi")})
        if (!resources.limits.contains(name))
          resources.requests.try_emplace(name, *Quantity::parse(amount));
    }
  }
  Resources scored;
  const Resources all = requests(filled);
  scored.milli_cpu = all.milli_cpu;
  scored.memory = all.memory;
  return scored;
}

inline void add_to(Requested& sum, const Requested& more) {
  sum.resources += more.resources;
  sum.scored += more.scored;
}

/// Whether a sum may be less than what was added up.
inline bool is_at_bound(const Resources& sum) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return sum.milli_cpu == most || sum.memory == most || sum.ephemeral_storage == most ||
         any_of(sum.scalar, [](const auto& one) { return one.second == most; });
}

/// Of a node, close together, what every pod asks about; numbers that are too large are cut off.
struct Room {
  std::int64_t milli_cpu = 0;  ///< left
  std::int64_t memory = 0;     ///< left
  std::int64_t pods = 0;       ///< left
  std::int64_t allocatable_milli_cpu = 0;
  std::int64_t allocatable_memory = 0;
  std::int64_t scored_milli_cpu = 0;  ///< used
  std::int64_t scored_memory = 0;     ///< used

  /// Whether what is asked of the three is there.
  [[nodiscard]] bool holds(const Resources& asked) const noexcept {
    return (asked.milli_cpu <= 0 || asked.milli_cpu <= milli_cpu) &&
           (asked.memory <= 0 || asked.memory <= memory) && asked.pods <= pods;
  }
};

/// How much of what there is that is, from 0 to 100, rounded towards zero.
inline std::int64_t percentage(std::int64_t part, std::int64_t whole) noexcept {
  if (part <= 0) return 0;
  if (part >= whole) return max_node_score;
  if (whole > std::numeric_limits<std::int64_t>::max() / (max_node_score + 1))
    return part / (whole / max_node_score);
  // A division of doubles takes a third of the time of one of integers, and is off by one at most.
  const std::int64_t scaled = part * max_node_score;
  const auto about =
      static_cast<std::int64_t>(static_cast<double>(scaled) / static_cast<double>(whole));
  return about * whole > scaled ? about - 1 : (about + 1) * whole <= scaled ? about + 1 : about;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
