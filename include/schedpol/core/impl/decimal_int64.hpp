// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/version.hpp>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace SCHEDPOL_NAMESPACE::detail {

/// A decimal int64 as the API server accepts it in comparisons: an optional `-`, no `+`, no leading
/// zeros; nothing else has a value.
inline std::optional<std::int64_t> decimal_int64(std::string_view text) noexcept {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
