// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every target has: laws that end the program when they are broken, and bounds on the memory
// and the work that an input may cost. A target is a file with `LLVMFuzzerTestOneInput`, which
// libFuzzer calls, or replay.cpp with each file of its corpus.

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace schedpol::fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program with the law that is broken, and with what shows it.
void law(bool holds, std::string_view law, std::string_view shown = {},
         std::string_view other = {});

/// From its construction on: what is done, and taken of the heap, by a program linked with
/// cost.cpp. One at a time.
class Cost {
 public:
  Cost();
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

  /// The law that `times` readings of an input hold at most 64 bytes of memory at once for each of
  /// its bytes, take 256 in all, are done in 256 steps a byte, and a little for none. Steps are
  /// branches taken, and counted by fuzzers without sanitizers alone.
  void is_within(std::size_t bytes, std::size_t times = 1) const;
};

}  // namespace schedpol::fuzz
