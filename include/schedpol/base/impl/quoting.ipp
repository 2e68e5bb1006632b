// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

}  // namespace detail

SCHEDPOL_INLINE std::size_t unprintable_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : '\0');
  };
  if (text.empty()) return 0;
  switch (byte(0)) {
    case 0xC2: return byte(1) >= 0x80 && byte(1) < 0xA0 ? 2 : 0;
    case 0xD8: return byte(1) == 0x9C ? 2 : 0;  // U+061C
    case 0xE2: {
      const unsigned char last = byte(2);
      const bool in_2000 = byte(1) == 0x80 && (last == 0x8E || last == 0x8F ||   // U+200E, U+200F
                                               (last >= 0xA8 && last <= 0xAE));  // U+2028 to U+202E
      const bool in_2040 = byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9;      // U+2066 to U+2069
      return in_2000 || in_2040 ? 3 : 0;
    }
    default: return byte(0) < 0x20 || byte(0) == 0x7F ? 1 : 0;
  }
}

SCHEDPOL_INLINE void append_escaped(std::string& text, std::string_view part,
                                    const Separators& separators) {
  const auto is_special = [&](char c) { return separators.is_special(c); };
  while (!part.empty()) {
    const auto special = std::find_if(part.begin(), part.end(), is_special);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    const std::size_t unprintable = unprintable_bytes(part);
    for (const char c : part.substr(0, unprintable))
      detail::append_hex(text, static_cast<unsigned char>(c));
    part.remove_prefix(unprintable);
    if (unprintable > 0) continue;
    if (static_cast<unsigned char>(part.front()) < 0x80) text += '\\';
    text += part.front();
    part.remove_prefix(1);
  }
}

SCHEDPOL_INLINE std::string in_backticks(std::string_view input) {
  bool cut = false;
  if (input.size() > max_shown_bytes) {
    std::size_t end = max_shown_bytes;
    while (end > 0 && (static_cast<unsigned char>(input[end]) & 0xC0U) == 0x80U) --end;
    input = input.substr(0, end);
    cut = true;
  }
  std::string text = "`";
  constexpr Separators backtick("`");
  append_escaped(text, input, backtick);
  text += cut ? "...`" : "`";
  return text;
}

SCHEDPOL_INLINE std::string in_backticks(const Names& names) {
  const std::size_t all = names.size() + names.more();
  std::string text;
  std::size_t shown = 0;
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    bytes += name.size();
    if (shown == max_shown_names || (shown > 0 && bytes > max_shown_bytes)) break;
    if (shown > 0) text += shown + 1 == all ? " and " : ", ";
    text += in_backticks(name);
    ++shown;
  }
  if (shown < all) text += " and " + std::to_string(all - shown) + " more";
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE
