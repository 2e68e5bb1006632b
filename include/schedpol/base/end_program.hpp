// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a program ends when its code breaks a precondition.

#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Writes one line to standard error, `schedpol: ` and the reason, and aborts (`std::abort`).
[[noreturn]] void end_program(const char* why) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/end_program.ipp>
#endif
