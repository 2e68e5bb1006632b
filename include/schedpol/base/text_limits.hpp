// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Limits on the texts of errors, violations and changes. Other limits are in `core/limits.hpp`.

#include <schedpol/version.hpp>

#include <cstddef>

namespace SCHEDPOL_NAMESPACE {

/// Bytes of input that a text shows; longer input is cut and ends with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

/// Names or values that a text lists before it counts the rest; fewer if together they have more than
/// `max_shown_bytes`. Also the most changes that a fix at the end of a denial may have.
inline constexpr std::size_t max_shown_names = 5;

/// Bytes of the longest word that `did_you_mean` compares with the known ones. A longer word gets no
/// suggestion. The longest field name has 47 bytes.
inline constexpr std::size_t max_meant_bytes = 48;

}  // namespace SCHEDPOL_NAMESPACE
