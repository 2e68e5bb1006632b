// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/quoting.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

/// Bytes of the control character that `text`, which is not empty, starts with: of ASCII, or one of
/// U+0080 to U+009F. Zero when it starts with none.
inline std::size_t control_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 2 : 0;
}

}  // namespace detail

SCHEDPOL_INLINE void append_escaped(std::string& text, std::string_view part,
                                    std::string_view separators) {
  // A bit for each character of ASCII that is written in another way.
  std::uint64_t specials[2] = {0xFFFF'FFFFU, std::uint64_t{1} << 63U};
  const auto mark = [&](char c) {
    specials[c / 64] |= std::uint64_t{1} << (static_cast<unsigned>(c) % 64U);
  };
  mark('\\');
  for (const char c : separators) mark(c);
  const auto is_special = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (specials[byte / 64U] >> (byte % 64U) & 1U) != 0;
  };
  while (!part.empty()) {
    const auto special = std::find_if(part.begin(), part.end(), is_special);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    const std::size_t control = detail::control_bytes(part);
    for (const char c : part.substr(0, control))
      detail::append_hex(text, static_cast<unsigned char>(c));
    part.remove_prefix(control);
    if (control > 0) continue;
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
  append_escaped(text, input, "`");
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
