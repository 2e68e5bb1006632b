// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Compiled policies of a system, as an Engine replaces them.

#include <utility>
#include <vector>

namespace schedpol::engine::detail {

/// What policies that are compiled come to with others in the place of some.
template <class Compiled, class Policy>
void take_over(Compiled& compiled, const std::vector<Policy>& replaced,
               const std::vector<Policy>& usable) {
  if (replaced.empty()) return;
  // What has been found good can be compiled; otherwise it denies.
  auto made = compiled.without(replaced).with(usable);
  compiled = made ? *std::move(made) : Compiled();
}

}  // namespace schedpol::engine::detail
