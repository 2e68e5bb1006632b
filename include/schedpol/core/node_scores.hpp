// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Scores of nodes, by the numbers of a `NodeTable`, brought to one scale so that several questions
/// can be added up, and the nodes that win. Scores of nodes that do not take part are left alone.
/// Source: kube-scheduler, `DefaultNormalizeScore` and `selectHost`.

#include <schedpol/core/node_set.hpp>
#include <schedpol/core/optional.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The best score that a question gives.
inline constexpr std::int64_t max_node_score = 100;

/// Which of two scores wins.
enum class Better { higher, lower };

/// Scores of those nodes in proportion to their highest one, which becomes 100, rounded towards
/// zero. Where none is above zero they stay as they are. Where lower is better it is what is missing
/// to 100, and 100 for all where none is above zero. A number without score has 0.
[[nodiscard]] std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                             const NodeSet& nodes,
                                                             Better better = Better::higher);

/// Those of the nodes that no other one of them beats.
[[nodiscard]] NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes);

/// One of those, by number; none where there are no nodes. Of several it is another one each turn, round and
/// round, and the same one again in another run, where kube-scheduler throws dice.
[[nodiscard]] Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                           const NodeSet& nodes, std::size_t turn = 0);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/node_scores.ipp>
#endif
