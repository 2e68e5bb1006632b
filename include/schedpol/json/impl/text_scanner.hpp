// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the values stand in a text that is known to be JSON. Nothing is checked here.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace schedpol::json::detail {

[[nodiscard]] inline std::size_t skip_space(std::string_view json, std::size_t at) noexcept {
  const std::size_t found = json.find_first_not_of(" \t\r\n", at);
  return found == std::string_view::npos ? json.size() : found;
}

/// Behind the string that begins at `at`.
[[nodiscard]] inline std::size_t end_of_string(std::string_view json, std::size_t at) noexcept {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at < json.size() ? at + 1 : json.size();
}

/// Behind the number or word that begins at `at`.
[[nodiscard]] inline std::size_t end_of_scalar(std::string_view json, std::size_t at) noexcept {
  const std::size_t found = json.find_first_of(",:]} \t\r\n", at);
  return found == std::string_view::npos ? json.size() : found;
}

/// Behind the value that begins at `at`.
[[nodiscard]] inline std::size_t end_of_value(std::string_view json, std::size_t at) noexcept {
  std::size_t open = 0;
  while (at < json.size()) {
    switch (json[at]) {
      case '"': at = end_of_string(json, at); break;
      case '{':
      case '[': ++open, ++at; break;
      case '}':
      case ']': --open, ++at; break;
      case ',':
      case ':':
      case ' ':
      case '\t':
      case '\r':
      case '\n': ++at; break;
      default: at = end_of_scalar(json, at); break;
    }
    if (open == 0) break;
  }
  return at;
}

inline void append_utf8(std::string& text, std::uint32_t point) {
  const auto append = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    append(point);
  } else if (point < 0x800) {
    append(0xC0U | point >> 6U);
    append(0x80U | (point & 0x3FU));
  } else {
    if (point < 0x10000) {
      append(0xE0U | point >> 12U);
    } else {
      append(0xF0U | point >> 18U);
      append(0x80U | (point >> 12U & 0x3FU));
    }
    append(0x80U | (point >> 6U & 0x3FU));
    append(0x80U | (point & 0x3FU));
  }
}

/// What a string says that is written with its quotes.
[[nodiscard]] inline std::string unescaped(std::string_view string) {
  const auto hex = [&](std::size_t at) {
    std::uint32_t unit = 0;
    const std::string_view digits = string.substr(at, 4);
    std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    return unit;
  };
  constexpr std::string_view escapes = "bfnrt";
  constexpr std::string_view meanings = "\b\f\n\r\t";
  std::string text;
  for (std::size_t i = 1; i + 1 < string.size(); ++i) {
    if (string[i] != '\\') {
      text += string[i];
      continue;
    }
    const char escape = string[++i];
    if (escape == 'u') {
      std::uint32_t point = hex(i + 1);
      i += 4;
      if (point >= 0xD800 && point < 0xDC00) {
        point = 0x10000 + ((point - 0xD800) << 10U) + (hex(i + 3) - 0xDC00);
        i += 6;
      }
      append_utf8(text, point);
    } else {
      const std::size_t known = escapes.find(escape);
      text += known == std::string_view::npos ? escape : meanings[known];
    }
  }
  return text;
}

}  // namespace schedpol::json::detail
