// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a pod asks to be spread over the domains of a cluster (core/v1 TopologySpreadConstraint).
/// What it means for a node is rule 2 of `bound_pods.hpp`.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/texts.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// What becomes of a pod that no node can spread.
enum class WhenUnsatisfiable { unset, do_not_schedule, schedule_anyway, unknown };

constexpr std::array<std::string_view, 3> spellings(WhenUnsatisfiable) noexcept {
  return {"", "DoNotSchedule", "ScheduleAnyway"};
}

/// Whether nodes that the pod cannot run on anyway take part.
enum class NodeInclusionPolicy { unset, honor, ignore, unknown };

constexpr std::array<std::string_view, 3> spellings(NodeInclusionPolicy) noexcept {
  return {"", "Honor", "Ignore"};
}

/// Domains are the nodes of one value of `topology_key`. An unset `node_affinity_policy` is Honor,
/// an unset `node_taints_policy` Ignore.
struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key{};
  OpenEnum<WhenUnsatisfiable> when_unsatisfiable{};
  std::optional<LabelSelector> label_selector{};
  std::optional<std::int32_t> min_domains{};  ///< absent: 1
  OpenEnum<NodeInclusionPolicy> node_affinity_policy{};
  OpenEnum<NodeInclusionPolicy> node_taints_policy{};
  Texts match_label_keys{};

  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE
