// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every target has: laws that end the program when they are broken, and a bound on the memory
// that an input may cost. A target is a file with `LLVMFuzzerTestOneInput`, which libFuzzer calls,
// or replay.cpp with each file of its corpus.

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

/// From its construction on: the bytes of the heap that a program linked with memory.cpp holds at
/// once, and all that it takes. One at a time.
class Memory {
 public:
  Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  [[nodiscard]] std::size_t most() const;   ///< held at once
  [[nodiscard]] std::size_t taken() const;  ///< all of it, freed or not

  /// The law that `times` readings of an input hold at most 64 bytes of memory at once for each of
  /// its bytes, take 256 in all, and a little for none.
  void is_within(std::size_t bytes, std::size_t times = 1) const;
};

}  // namespace schedpol::fuzz
