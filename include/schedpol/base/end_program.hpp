// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a program ends whose author broke a precondition.

#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Says why on standard error, in one line after `schedpol: `, and aborts (`std::abort`).
[[noreturn]] void end_program(const char* why) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/end_program.ipp>
#endif
