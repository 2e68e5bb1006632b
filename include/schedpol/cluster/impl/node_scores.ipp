// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/cluster/impl/scored_nodes.hpp>
#include <schedpol/cluster/node_scores.hpp>
#include <schedpol/impl/linkage.hpp>

#include <iterator>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// Of a score below zero, as many hundredths below it.
inline std::int64_t percent_of(std::int64_t most, std::int64_t score) noexcept {
  const auto whole = static_cast<std::uint64_t>(most);
  if (score >= 0)
    return static_cast<std::int64_t>(percent(static_cast<std::uint64_t>(score), whole));
  return -static_cast<std::int64_t>(percent(-static_cast<std::uint64_t>(score), whole));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                               const NodeSet& nodes,
                                                               Better better) {
  std::int64_t most = 0;
  detail::for_each_scored(scores, nodes,
                          [&](std::size_t, std::int64_t score) { most = std::max(most, score); });
  std::int64_t last = 0;  // mostly many nodes have the same score
  std::int64_t last_percent = 0;
  detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t& score) {
    if (most > 0) {
      if (score != last) last_percent = detail::percent_of(most, last = score);
      score = last_percent;
      if (better == Better::lower) score = max_node_score - score;
    } else if (better == Better::lower) {
      score = max_node_score;
    }
  });
  return scores;
}

SCHEDPOL_INLINE NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes) {
  NodeSet best;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const std::size_t node : nodes) {
    const std::int64_t score = node < scores.size() ? scores[node] : 0;
    if (score < most) continue;
    if (score > most) best.clear();
    most = score;
    best.insert(node);
  }
  return best;
}

SCHEDPOL_INLINE Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                             const NodeSet& nodes, std::size_t turn) {
  const NodeSet best = highest(scores, nodes);
  if (best.empty()) return std::nullopt;
  return *std::next(best.begin(), static_cast<std::ptrdiff_t>(turn % best.size()));
}

}  // namespace SCHEDPOL_NAMESPACE
