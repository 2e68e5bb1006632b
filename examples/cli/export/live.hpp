// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Who may use which policies as the API server's authorizer says when an object comes. What cannot be merged then is
/// merged beforehand for every set of policies that somebody may use.

#include "model.hpp"

#include <string>
#include <vector>

namespace cli {

/// Up to so many policies all of their sets are exported; of more those that somebody may use by the roles and
/// bindings that there are. `first_seen_wins` needs but one for each policy.
inline constexpr std::size_t max_policies_of_all_sets = 4;

/// The groups, each with the condition under which an object is judged by it; last those of objects that none of the
/// others is for. Refuses more policies than an API server asks for.
[[nodiscard]] std::vector<ExportedGroup> live_groups_of(
    const schedpol::engine::Configuration& configuration, const schedpol::engine::Engine& engine,
    Refusals& refusals);

/// The questions to the authorizer, as variables.
[[nodiscard]] std::vector<Variable> questions(const schedpol::engine::Configuration& configuration);

/// Makes rules hold of the objects alone that the group is for.
void put_under(const std::string& condition, Rules& rules);

}  // namespace cli
