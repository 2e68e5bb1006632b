// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bounds of what the texts of errors, violations and changes show. Other bounds are in `core/limits.hpp`.

#include <schedpol/version.hpp>

#include <cstddef>

namespace SCHEDPOL_NAMESPACE {

/// Bytes of input that a text shows before it is cut with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

/// Names or values that a text lists before it says how many more there are, fewer where they have
/// more than `max_shown_bytes` together; and changes of the longest fix that a denial ends with.
inline constexpr std::size_t max_shown_names = 5;

/// Bytes of the longest word that is compared with the known ones, to say which of them is meant; of a
/// longer one that is not said. The longest name of a field has 47.
inline constexpr std::size_t max_meant_bytes = 48;

}  // namespace SCHEDPOL_NAMESPACE
