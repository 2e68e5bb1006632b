// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the replicas of a workload go.

#include "decide.hpp"
#include "policies.hpp"

#include <schedpol/base/field_error.hpp>
#include <schedpol/cluster/plan.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Each replica is held against each node.
inline constexpr std::size_t max_replicas = 10'000;

/// The one pod, or pod template, whose replicas are planned; null where there is none or are several.
[[nodiscard]] const schedpol::Pod* planned_pod(const AdmissionRequest& asked);
/// Why there is none: `it has 2 pod templates, and one is planned`.
[[nodiscard]] std::string not_planned(const AdmissionRequest& asked);

[[nodiscard]] std::vector<schedpol::Node> read_nodes(const std::vector<std::string>& paths,
                                                     Input& input, Problems& problems);

/// The one ResourcePolicy that selects the pod, or null.
[[nodiscard]] const schedpol::resource_policy::ResourcePolicy* policy_of(const PolicySet& policies,
                                                                         const schedpol::Pod& pod);

/// By the ResourcePolicy alone.
[[nodiscard]] schedpol::Result<schedpol::resource_policy::Plan> plan_of(
    const PolicySet& policies, const schedpol::Pod& pod, const std::vector<schedpol::Node>& nodes,
    std::size_t replicas);

}  // namespace cli
