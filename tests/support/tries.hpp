// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many generated cases a law is tried on.

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

/// How often something has to be met when all cases are tried. A tenth of them scatters more, so
/// that under sanitizers half as much of it will do.
constexpr int at_least(int all) {
  return tries(all) == all ? all : all / 20;
}

}  // namespace schedpol::testing
