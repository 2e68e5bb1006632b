// SPDX-License-Identifier: Apache-2.0
#pragma once

// Has callgrind count the instructions of parts of a program, which count_instructions.py reads. A
// program that runs without it counts nothing. All that is not counted is fast as long as nothing
// is counted yet, so a program first makes all that it needs.

#include <string>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace schedpol::testing {

/// Counts the instructions of `f()`, under a name.
template <class F>
auto count_instructions(const std::string& name, F&& f) {
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  auto result = f();
  CALLGRIND_DUMP_STATS_AT(name.c_str());
  return result;
}

}  // namespace schedpol::testing
