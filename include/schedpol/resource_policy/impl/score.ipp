// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/score.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Where a score of a range stands between 0 and 100. The range is not empty.
inline std::int64_t percent(std::int64_t score, std::int64_t low, std::int64_t high) noexcept {
  // Differences of any two int64 fit in uint64.
  const auto above_low = [low](std::int64_t of) {
    return static_cast<std::uint64_t>(of) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t range = above_low(high);
  // Where a hundred times the range would not fit both lose 7 bits.
  const int shift = range > std::numeric_limits<std::uint64_t>::max() / 100 ? 7 : 0;
  return static_cast<std::int64_t>((above_low(score) >> shift) * 100 / (range >> shift));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  NodeSet all;
  for (std::size_t i = 0; i < scores.size(); ++i) all.insert(i);
  return normalise(std::vector<std::int64_t>(scores.begin(), scores.end()), all);
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                    const NodeSet& nodes) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (const std::size_t node : nodes) {
    if (node >= scores.size()) break;
    low = std::min(low, scores[node]);
    high = std::max(high, scores[node]);
  }
  std::int64_t last = low;  // mostly many nodes have the same score
  std::int64_t last_percent = low < high ? 0 : 100;
  for (const std::size_t node : nodes) {
    if (node >= scores.size()) break;
    if (scores[node] != last) last_percent = detail::percent(last = scores[node], low, high);
    scores[node] = last_percent;
  }
  return scores;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
