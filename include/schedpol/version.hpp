// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The one source of the library's version, and the Kubernetes release whose rules it implements.
/// The build files read the three macros; everything else asks `schedpol::version`. Whoever
/// compiles for an older C++ is told so here, once, instead of by everything that it does not know.

#define SCHEDPOL_VERSION_MAJOR 0
#define SCHEDPOL_VERSION_MINOR 3
#define SCHEDPOL_VERSION_PATCH 0

// What stands in the library stands in this namespace. Inline, it is `schedpol` for whoever writes
// it; with the version in every symbol, two libraries of two versions get along in one program.
#define SCHEDPOL_NAMESPACE schedpol::inline v0_3_0

#if __cplusplus <= 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG <= 201703L)
#error "schedpol needs C++20: compile with -std=c++20 or newer"
#include "nothing more is read"  // a missing file is what ends a compilation
#endif

namespace SCHEDPOL_NAMESPACE {

struct Version {
  int major = SCHEDPOL_VERSION_MAJOR;
  int minor = SCHEDPOL_VERSION_MINOR;
  int patch = SCHEDPOL_VERSION_PATCH;

  friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version version{};  ///< of these headers

/// Where a rule comes from Kubernetes itself (tolerations, selectors, RBAC, label syntax), it is
/// the rule of this release.
inline constexpr const char* kubernetes_release = "v1.37";

}  // namespace SCHEDPOL_NAMESPACE
