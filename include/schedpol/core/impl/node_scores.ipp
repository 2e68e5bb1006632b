// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/node_scores.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// `score` times a hundred by `most`, which is above zero; where the product would not fit, both lose
/// 7 bits.
inline std::int64_t percent(std::int64_t score, std::int64_t most) noexcept {
  constexpr std::int64_t fits = std::numeric_limits<std::int64_t>::max() / max_node_score;
  if (score > fits || score < -fits)
    return score / 128 * max_node_score / std::max<std::int64_t>(most / 128, 1);
  return score * max_node_score / most;
}

/// Those of the nodes that there is a score for.
template <class Use>
void for_each_scored(const std::vector<std::int64_t>& scores, const NodeSet& nodes, Use use) {
  for (const std::size_t node : nodes) {
    if (node >= scores.size()) break;
    use(node);
  }
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                               const NodeSet& nodes,
                                                               Better better) {
  std::int64_t most = 0;
  detail::for_each_scored(scores, nodes,
                          [&](std::size_t node) { most = std::max(most, scores[node]); });
  std::int64_t last = 0;  // mostly many nodes have the same score
  std::int64_t last_percent = 0;
  detail::for_each_scored(scores, nodes, [&](std::size_t node) {
    std::int64_t& score = scores[node];
    if (most > 0) {
      if (score != last) last_percent = detail::percent(last = score, most);
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
