// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded. Objects are untrusted, and a reason ends up in logs and on terminals.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

/// Bytes of input that a text shows before it is cut with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

/// Bytes of the control character that `text` starts with: of ASCII, or one of U+0080 to U+009F,
/// which terminals obey too. Zero when it starts with none.
inline std::size_t control_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 2 : 0;
}

}  // namespace detail

/// Appends `part`, with a backslash before each of `separators` and before a backslash, and control
/// characters in hexadecimal: two different values never render as the same text, and none breaks
/// the line.
inline void append_escaped(std::string& text, std::string_view part, std::string_view separators) {
  const auto is_plain = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '\\' && separators.find(c) == std::string_view::npos;
  };
  while (!part.empty()) {
    const auto special = std::find_if_not(part.begin(), part.end(), is_plain);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    std::size_t bytes = detail::control_bytes(part);
    if (bytes == 0) {
      if (part[0] == '\\' || separators.find(part[0]) != std::string_view::npos) text += '\\';
      text += part[0];
      bytes = 1;
    } else {
      for (const char c : part.substr(0, bytes))
        detail::append_hex(text, static_cast<unsigned char>(c));
    }
    part.remove_prefix(bytes);
  }
}

/// `input` between backticks, escaped as by `append_escaped` with the backtick for separator. What
/// is longer than `max_shown_bytes` is cut (never inside a UTF-8 sequence).
[[nodiscard]] inline std::string in_backticks(std::string_view input) {
  bool cut = false;
  if (input.size() > max_shown_bytes) {
    std::size_t end = max_shown_bytes;
    while (end > 0 && (static_cast<unsigned char>(input[end]) & 0xC0U) == 0x80U) --end;
    input = input.substr(0, end);
    cut = true;
  }
  std::string text = "`";
  append_escaped(text, input, "`");
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

}  // namespace schedpol
