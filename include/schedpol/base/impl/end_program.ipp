// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/end_program.hpp>
#include <schedpol/impl/linkage.hpp>

#include <cstdio>
#include <cstdlib>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE void end_program(const char* why) noexcept {
  std::fputs("schedpol: ", stderr);
  std::fputs(why, stderr);
  std::fputs("\n", stderr);
  std::abort();
}

}  // namespace SCHEDPOL_NAMESPACE
