// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many generated cases a law is tried on.

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCHEDPOL_TEST_SANITIZED
#endif
#endif

namespace schedpol::testing {

/// All of them, or a tenth under sanitizers, which are slow and look for other faults.
constexpr int tries(int all) {
#ifdef SCHEDPOL_TEST_SANITIZED
  return all / 10;
#else
  return all;
#endif
}

/// As many of these as the environment asks for: with `SCHEDPOL_TEST_TIMES=100` a hundred times as
/// many, for what is to be proven at size.
inline int times(int all) {
  const char* asked = std::getenv("SCHEDPOL_TEST_TIMES");
  return asked == nullptr ? all : all * std::atoi(asked);
}

/// How often something has to be met when all cases are tried. A tenth of them scatters more, so
/// that under sanitizers half as much of it will do.
constexpr int at_least(int all) {
  return tries(all) == all ? all : all / 20;
}

}  // namespace schedpol::testing
