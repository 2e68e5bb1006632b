// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The numbers that comparisons with bounds tell apart.

#include <schedpol/version.hpp>

#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// Numbers of every sort that bounds tell apart, none below `least`: each bound, and between two
/// neighbours the first that is not `taken`, where there is one.
template <class Taken>
std::vector<std::int64_t> numbers_around(const std::set<std::int64_t>& bounds, std::int64_t least,
                                         Taken&& taken) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> numbers(bounds.begin(), bounds.end());
  if (bounds.empty()) return {};
  for (std::int64_t down = *bounds.begin(); down != least;) {
    if (taken(--down)) continue;
    numbers.push_back(down);
    break;
  }
  for (auto bound = bounds.begin(); bound != bounds.end(); ++bound) {
    const auto next = std::next(bound);
    for (std::int64_t up = *bound; up != most;) {
      if (++up; next != bounds.end() && up == *next) break;
      if (taken(up)) continue;
      numbers.push_back(up);
      break;
    }
  }
  return numbers;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
