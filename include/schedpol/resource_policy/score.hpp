// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How much a node is preferred: 20 times the priority of its best unit, so that a node without
/// priority is not far from one that has a small one, -20 outside all units; then normalised over
/// the feasible nodes to 0..100. Source: the Resource Policy proposal, "Score".

#include <schedpol/core/node_set.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The score of a node before normalisation.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Raw scores to 0..100 between the lowest and the highest, rounded down; all equal: 100. Any
/// scores may be given.
[[nodiscard]] std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores);

/// The same of the scores of some nodes, by number; those of others are left alone. A number without
/// score takes no part.
[[nodiscard]] std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                  const NodeSet& nodes);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/score.ipp>
#endif
