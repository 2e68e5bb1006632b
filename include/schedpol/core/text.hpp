// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded. Objects are untrusted, and a reason ends up in logs and on terminals.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

/// Bytes of input that a text shows before it is cut with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

/// `input` between backticks. Control characters, backticks and backslashes are escaped, and what
/// is longer than `max_shown_bytes` is cut (never inside a UTF-8 sequence).
[[nodiscard]] inline std::string in_backticks(std::string_view input) {
  constexpr std::string_view hex = "0123456789abcdef";
  bool cut = false;
  if (input.size() > max_shown_bytes) {
    std::size_t end = max_shown_bytes;
    while (end > 0 && (static_cast<unsigned char>(input[end]) & 0xC0U) == 0x80U) --end;
    input = input.substr(0, end);
    cut = true;
  }
  std::string text = "`";
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      text += "\\x";
      text += hex[byte >> 4U];
      text += hex[byte & 0xFU];
    } else {
      if (c == '`' || c == '\\') text += '\\';
      text += c;
    }
  }
  text += cut ? "...`" : "`";
  return text;
}

/// `a`, `b` and `c`; empty for no names.
[[nodiscard]] inline std::string in_backticks(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += in_backticks(names[i]);
  }
  return text;
}

/// Appends `part`, with a backslash before each of `separators` and before a backslash, so that two
/// different values never render as the same text.
inline void append_escaped(std::string& text, std::string_view part, std::string_view separators) {
  for (const char c : part) {
    if (c == '\\' || separators.find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
}

}  // namespace schedpol
