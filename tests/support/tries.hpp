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

}  // namespace schedpol::testing
