// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How whole numbers are read from texts.

#include <schedpol/version.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace SCHEDPOL_NAMESPACE::detail {

/// A whole text as `std::from_chars` reads it: an optional `-`, leading zeros permitted.
inline std::optional<std::int64_t> plain_int64(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// An int64 as Go reads it, in the labels of Gt and Lt and in the exponents of quantities: a `+` is
/// permitted too.
inline std::optional<std::int64_t> signed_int64(std::string_view text) noexcept {
  return plain_int64(text.substr(text.starts_with('+') && !text.starts_with("+-") ? 1 : 0));
}

/// A decimal int64 as the API server accepts it in comparisons: an optional `-`, no `+`, no leading
/// zeros; nothing else has a value.
inline std::optional<std::int64_t> decimal_int64(std::string_view text) noexcept {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  return plain_int64(text);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
