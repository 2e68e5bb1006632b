// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the heap allocations of a program that is linked with count_allocations.cpp.

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

  /// The most bytes that were in use at once, of those allocated since.
  [[nodiscard]] std::size_t peak_bytes() const;
};

}  // namespace schedpol::testing
