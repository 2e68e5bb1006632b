// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Scores of nodes, by the numbers of a `NodeTable`, brought to one scale so that several questions
/// can be added up, and the nodes that win. Scores of nodes that do not take part are left alone.
/// Source: kube-scheduler, `DefaultNormalizeScore` and `selectHost`.

#include <schedpol/base/optional.hpp>
#include <schedpol/cluster/node_set.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The best score that a question gives.
inline constexpr std::int64_t max_node_score = 100;

/// Which of two scores wins.
enum class Better { higher, lower };

/// Scales the scores of the nodes so that the highest becomes 100, rounded towards zero. If none is
/// above zero they stay as they are. Where lower is better each becomes 100 less that, and 100 if none
/// is above zero. Nodes whose numbers are beyond the scores are left out.
[[nodiscard]] std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                             const NodeSet& nodes,
                                                             Better better = Better::higher);

/// The nodes with the highest score. One whose number is beyond the scores has 0.
[[nodiscard]] NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes);

/// The number of one of the `highest` nodes: of several each has its turn, so that the same run gives
/// the same nodes again. kube-scheduler picks one at random. None where there are no nodes.
[[nodiscard]] Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                           const NodeSet& nodes, std::size_t turn = 0);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/node_scores.ipp>
#endif
