// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The library's version, and the Kubernetes release whose rules it implements. The build files read
/// the three macros; everything else uses `schedpol::version`. A compiler set to an older C++ reports
/// one error here instead of hundreds elsewhere.

#define SCHEDPOL_VERSION_MAJOR 0
#define SCHEDPOL_VERSION_MINOR 3
#define SCHEDPOL_VERSION_PATCH 0

// The namespace of the whole library. Its inner part is inline, so users write only `schedpol`. The
// version is part of every symbol, so one program can link two versions of the library.
#define SCHEDPOL_NAMESPACE schedpol::inline v0_3_0

#if __cplusplus <= 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG <= 201703L)
#error "schedpol needs C++20: compile with -std=c++20 or newer"
#include "nothing more is read"  // a missing file ends the compilation at once
#endif

namespace SCHEDPOL_NAMESPACE {

struct Version {
  int major = SCHEDPOL_VERSION_MAJOR;
  int minor = SCHEDPOL_VERSION_MINOR;
  int patch = SCHEDPOL_VERSION_PATCH;

  friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version version{};  ///< the version of these headers

/// The release whose rules apply wherever a rule is Kubernetes' own (tolerations, selectors, RBAC,
/// label syntax).
inline constexpr const char* kubernetes_release = "v1.37";

}  // namespace SCHEDPOL_NAMESPACE
