// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace schedpol::benchmarks {

/// How often the program took memory from the heap so far.
[[nodiscard]] std::size_t allocations() noexcept;

}  // namespace schedpol::benchmarks
