// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the heap allocations of a program that is linked with count_allocations.cpp, and lets one
// fail.

#include <cstddef>

namespace schedpol::testing {

/// Counts from its construction on. One at a time.
class CountAllocations {
 public:
  CountAllocations();
  ~CountAllocations();
  CountAllocations(const CountAllocations&) = delete;
  CountAllocations& operator=(const CountAllocations&) = delete;

  [[nodiscard]] std::size_t count() const;

  /// The `nth` of those that are counted fails, as where memory runs out, and so does what comes after
  /// it. False where the program cannot be made to.
  [[nodiscard]] bool fail(std::size_t nth);

  /// The most bytes that were in use at once, of those allocated since.
  [[nodiscard]] std::size_t peak_bytes() const;
};

}  // namespace schedpol::testing
