// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Helpers for all scores of nodes: a list has the scores at the numbers of the nodes, and a number
/// without a score is ignored.

#include <schedpol/cluster/node_set.hpp>

#include <algorithm>
#include <limits>

namespace SCHEDPOL_NAMESPACE::detail {

/// Calls `use(number, score)` with those of the nodes that there is a score for.
template <class Scores, class Use>
void for_each_scored(Scores& scores, const NodeSet& nodes, Use use) {
  for (const std::size_t node : nodes) {
    if (node >= scores.size()) break;
    use(node, scores[node]);
  }
}

/// How many hundredths of `whole`, which is above zero, `part` is, rounded down. Where a hundred times
/// that would not fit both lose 7 bits.
constexpr std::uint64_t percent(std::uint64_t part, std::uint64_t whole) noexcept {
  constexpr std::uint64_t fits = std::numeric_limits<std::uint64_t>::max() / 100;
  if (part > fits) {
    part >>= 7;
    whole = std::max<std::uint64_t>(whole >> 7, 1);
  }
  return part * 100 / whole;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
