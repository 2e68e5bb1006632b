// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Scales scores of nodes, so that scores for several criteria can be added up, and picks the best
/// nodes. Scores are at the numbers of a `NodeTable`; those of other nodes stay as they are. Source:
/// kube-scheduler, `DefaultNormalizeScore` and `selectHost`.

#include <schedpol/base/optional.hpp>
#include <schedpol/cluster/node_set.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The highest score for one criterion.
inline constexpr std::int64_t max_node_score = 100;

/// Which of two scores wins.
enum class Better { higher, lower };

/// Scales the scores of `nodes` so that the highest becomes 100, rounded towards zero. If no score is above
/// zero, they stay as they are. If lower is better, each result is subtracted from 100, and all are 100
/// if no score is above zero. Nodes without a score are left out.
[[nodiscard]] std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                             const NodeSet& nodes,
                                                             Better better = Better::higher);

/// The nodes with the highest score. A node without a score has 0.
[[nodiscard]] NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes);

/// The number of one of the `highest` nodes; none if there are no nodes. If there are several, `turn`
/// picks one, so a run is reproducible; kube-scheduler picks one at random.
[[nodiscard]] Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                           const NodeSet& nodes, std::size_t turn = 0);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/node_scores.ipp>
#endif
