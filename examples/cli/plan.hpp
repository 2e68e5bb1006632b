// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where replicas go under the ResourcePolicies of a set of policies.

#include "policies.hpp"

#include "../support/json_members.hpp"

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

struct PlannedWorkload {
  schedpol::Pod pod{};
  std::size_t replicas = 1;
};

/// What a workload says; one where it says none.
[[nodiscard]] inline std::size_t replicas_of(std::string_view json) {
  const auto members = support::read_object(json);
  const auto spec = members.find("spec");
  if (spec == members.end()) return 1;
  std::int64_t replicas = 1;
  support::read_member(support::read_object(spec->second.json), "replicas", replicas);
  return replicas < 0 ? 0 : static_cast<std::size_t>(replicas);
}

[[nodiscard]] std::vector<schedpol::Node> read_nodes(const std::vector<std::string>& paths,
                                                     Input& input, Problems& problems);

/// The one ResourcePolicy that selects the pod, or null.
[[nodiscard]] const schedpol::resource_policy::ResourcePolicy* policy_of(const PolicySet& policies,
                                                                         const schedpol::Pod& pod);

[[nodiscard]] schedpol::Result<schedpol::resource_policy::Plan> plan_of(
    const PolicySet& policies, const schedpol::Pod& pod, const std::vector<schedpol::Node>& nodes,
    std::size_t replicas);

}  // namespace cli
