// SPDX-License-Identifier: Apache-2.0
#include "printable.hpp"

#include <schedpol/base/quoting.hpp>

namespace support {

namespace {

constexpr std::string_view hex = "0123456789abcdef";

void append_bytes(std::string& out, std::string_view bytes) {
  for (const char byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    out.append("\\x").append(1, hex[bits >> 4U]).append(1, hex[bits & 0xFU]);
  }
}

/// Calls `plain(sequence)`, `unprintable(sequence)` and `broken(byte)` for what the text consists of.
template <class Plain, class Unprintable, class Broken>
void for_each_sequence(std::string_view text, Plain&& plain, Unprintable&& unprintable,
                       Broken&& broken) {
  while (!text.empty()) {
    const std::size_t size = utf8_bytes(text);
    const std::string_view sequence = text.substr(0, size == 0 ? 1 : size);
    if (size == 0) {
      broken(sequence);
    } else if (schedpol::unprintable_bytes(sequence) > 0) {
      unprintable(sequence);
    } else {
      plain(sequence);
    }
    text.remove_prefix(sequence.size());
  }
}

}  // namespace

std::size_t utf8_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const auto first = byte(0);
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xC2 && first <= 0xDF ? 2
                           : first >= 0xE0 && first <= 0xEF ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  const bool is_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return is_long || is_beyond ? 0 : size;
}

char32_t code_point(std::string_view sequence) noexcept {
  if (sequence.empty()) return 0;
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t code = first & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1))
    code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

std::string printable(std::string_view text) {
  std::string out;
  for_each_sequence(
      text, [&](std::string_view sequence) { out += sequence; },
      [&](std::string_view sequence) { append_bytes(out, sequence); },
      [&](std::string_view byte) { append_bytes(out, byte); });
  return out;
}

std::string printable_json(std::string_view json) {
  std::string out;
  for_each_sequence(
      json, [&](std::string_view sequence) { out += sequence; },
      [&](std::string_view sequence) {
        // A line break as it is stands in no string, and all that is not printable has four digits.
        if (sequence == "\n") return void(out += sequence);
        out += "\\u";
        for (const unsigned shift : {12U, 8U, 4U, 0U})
          out += hex[code_point(sequence) >> shift & 0xFU];
      },
      [&](std::string_view) { out += "\xEF\xBF\xBD"; });
  return out;
}

}  // namespace support
