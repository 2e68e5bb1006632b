// SPDX-License-Identifier: Apache-2.0
#pragma once

// Choices for generated cases. The same seed makes the same ones everywhere, which the
// distributions of the standard library do not.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace schedpol::testing {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  std::mt19937 engine_;
};

}  // namespace schedpol::testing
