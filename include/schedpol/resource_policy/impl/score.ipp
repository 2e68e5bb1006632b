// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/score.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// How scores of a range are brought to 0..100.
class Scale {
 public:
  Scale(std::int64_t low, std::int64_t high) noexcept
      : low_(low), range_(above_low(high)), shift_(range_ > fits ? 7 : 0) {}

  [[nodiscard]] std::int64_t operator()(std::int64_t score) noexcept {
    if (score != last_) {  // mostly many nodes have the same one
      last_ = score;
      scaled_ = static_cast<std::int64_t>((above_low(score) >> shift_) * 100 / (range_ >> shift_));
    }
    return scaled_;
  }

 private:
  /// Beyond it a hundred times the range would not fit, and both lose 7 bits.
  static constexpr std::uint64_t fits = std::numeric_limits<std::uint64_t>::max() / 100;

  /// Differences of any two int64 fit in uint64.
  [[nodiscard]] std::uint64_t above_low(std::int64_t score) const noexcept {
    return static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(low_);
  }

  std::int64_t low_;
  std::uint64_t range_;
  int shift_;
  std::int64_t last_ = low_;
  std::int64_t scaled_ = 0;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  NodeSet all;
  for (std::size_t i = 0; i < scores.size(); ++i) all.insert(i);
  return normalise(std::vector<std::int64_t>(scores.begin(), scores.end()), all);
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                    const NodeSet& nodes) {
  const auto for_each = [&](auto use) {
    for (const std::size_t node : nodes) {
      if (node >= scores.size()) break;
      use(scores[node]);
    }
  };
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for_each([&](std::int64_t score) {
    low = std::min(low, score);
    high = std::max(high, score);
  });
  if (low < high) {
    detail::Scale scale(low, high);
    for_each([&](std::int64_t& score) { score = scale(score); });
  } else {
    for_each([](std::int64_t& score) { score = 100; });
  }
  return scores;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
