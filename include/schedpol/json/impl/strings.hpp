// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parts of a JSON string: plain bytes, whose end is found many bytes at a time, and sequences of
/// several bytes: escapes and UTF-8. Sources: RFC 8259, section 7; RFC 3629, section 4.

#include <schedpol/version.hpp>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether a byte of a string stands for itself and ends no run of those that do: all but control
/// characters, `"`, the backslash, and what is not of ASCII.
[[nodiscard]] inline bool is_plain_ascii(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Bytes that are looked at together: 0 where all of them are plain, else the high bit of each that
/// is not, right as far as the first of these.
inline constexpr std::size_t block_bytes = 8;
[[nodiscard]] inline std::uint64_t ends_in_block(const char* at) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, block_bytes);
  // A byte less a bound has its high bit set where it was below the bound, or had it set before:
  // true of the first such byte at least, from which others borrow. `^ 0x02` makes 0x20 of `"` and
  // 0x22 of a space, and leaves control characters below 0x20: so `"` and they are below 0x21.
  const std::uint64_t below =
      ((eight ^ ones * 0x02) - ones * 0x21) | ((eight ^ ones * '\\') - ones);
  return (below | eight) & ones * 0x80;
}

/// The first byte from `at` on that is not. There has to be one, and `block_bytes` that may be read
/// behind it.
[[nodiscard]] inline const char* end_of_plain(const char* at) noexcept {
  std::uint64_t ends = 0;
  while ((ends = ends_in_block(at)) == 0) at += block_bytes;
  if constexpr (std::endian::native == std::endian::little)
    return at + static_cast<unsigned>(std::countr_zero(ends)) / 8U;
  while (is_plain_ascii(*at)) ++at;
  return at;
}

/// Behind the UTF-8 sequence of two to four bytes that begins at `at`; null where that is none: cut
/// short, longer than it has to be, a surrogate, beyond Unicode. Reads on only as far as it is one.
[[nodiscard]] inline const char* end_of_sequence(const char* at) noexcept {
  const auto byte = [at](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0xC2 || first > 0xF4 || !continues(1)) return nullptr;
  if (first < 0xE0) return at + 2;
  if (!continues(2)) return nullptr;
  if (first < 0xF0) {
    const bool is_overlong = first == 0xE0 && second < 0xA0;
    const bool is_surrogate = first == 0xED && second >= 0xA0;
    return is_overlong || is_surrogate ? nullptr : at + 3;
  }
  if (!continues(3)) return nullptr;
  const bool is_overlong = first == 0xF0 && second < 0x90;
  const bool is_beyond = first == 0xF4 && second >= 0x90;
  return is_overlong || is_beyond ? nullptr : at + 4;
}

/// Writes a code point, in fewer bytes than its escape has.
[[nodiscard]] inline char* write_utf8(char* to, std::uint32_t point) noexcept {
  const auto write = [&to](std::uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (point < 0x80) {
    write(point);
  } else if (point < 0x800) {
    write(0xC0U | point >> 6U);
  } else if (point < 0x10000) {
    write(0xE0U | point >> 12U);
  } else {
    write(0xF0U | point >> 18U);
    write(0x80U | (point >> 12U & 0x3FU));
  }
  if (point >= 0x800) write(0x80U | (point >> 6U & 0x3FU));
  if (point >= 0x80) write(0x80U | (point & 0x3FU));
  return to;
}

/// The code unit that four hexadecimal digits are; none where one of them is no digit.
inline constexpr std::uint32_t no_unit = 0x10000;
[[nodiscard]] inline std::uint32_t code_unit(const char* at) noexcept {
  std::uint32_t unit = 0;
  return std::from_chars(at, at + 4, unit, 16).ptr == at + 4 ? unit : no_unit;
}

/// Writes what the escape at `at` says, and returns what is behind it; null where it is malformed.
/// Both may be in one text, as no escape is shorter than what it says.
[[nodiscard]] inline const char* read_escape(const char* at, char*& to) noexcept {
  constexpr std::string_view escapes = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  if (at[1] != 'u') {
    const std::size_t known = escapes.find(at[1]);
    if (known == std::string_view::npos) return nullptr;
    *to++ = meanings[known];
    return at + 2;
  }
  std::uint32_t point = code_unit(at + 2);
  at += 6;
  if (point == no_unit || (point >= 0xDC00 && point < 0xE000)) return nullptr;
  if (point >= 0xD800 && point < 0xDC00) {
    if (at[0] != '\\' || at[1] != 'u') return nullptr;
    const std::uint32_t low = code_unit(at + 2);
    if (low < 0xDC00 || low >= 0xE000) return nullptr;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
    at += 6;
  }
  to = write_utf8(to, point);
  return at;
}

/// What stands between the quotes of a string of a good document.
[[nodiscard]] inline std::string unescaped(std::string_view written) {
  std::string text(written);
  char* to = text.data();
  const char* at = to;
  for (const char* const end = at + text.size(); at != end;) {
    if (*at == '\\') {
      at = read_escape(at, to);
    } else {
      *to++ = *at++;
    }
  }
  text.resize(static_cast<std::size_t>(to - text.data()));
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
