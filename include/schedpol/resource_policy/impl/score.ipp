// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/score.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace schedpol::resource_policy {

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> normalised(scores.size(), 100);
  if (scores.empty()) return normalised;
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  if (*low == *high) return normalised;
  // Differences of any two int64 fit in uint64; where a hundred times one would not, both lose 7
  // bits.
  const auto above_low = [lowest = *low](std::int64_t score) {
    return static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(lowest);
  };
  const std::uint64_t range = above_low(*high);
  const int shift = range > std::numeric_limits<std::uint64_t>::max() / 100 ? 7 : 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    normalised[i] =
        static_cast<std::int64_t>((above_low(scores[i]) >> shift) * 100 / (range >> shift));
  }
  return normalised;
}

}  // namespace schedpol::resource_policy
