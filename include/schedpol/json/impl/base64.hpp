// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Base64 with padding, the encoding of `patch` in an AdmissionReview. Source: RFC 4648,
/// section 4.

#include <schedpol/json/impl/writer.hpp>

#include <array>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The two digits of every 12 bits.
constexpr std::array<std::array<char, 2>, 4096> base64_pairs() {
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i)
    pairs[i] = {base64_digits[i >> 6U], base64_digits[i & 63U]};
  return pairs;
}

inline void write_twelve_bits(char* to, std::uint64_t bits) {
#ifdef __wasm__
  // The 8 KB of the pairs are hardly smaller when they are packed, and a page waits for them.
  to[0] = base64_digits[bits >> 6U & 63U];
  to[1] = base64_digits[bits & 63U];
#else
  static constexpr auto pairs = base64_pairs();
  std::memcpy(to, pairs[bits & 4095U].data(), 2);
#endif
}

/// Writes the eight digits of six bytes, of which eight are there: they are one load.
inline void write_six_bytes(char* to, const unsigned char* from) {
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  const std::uint64_t eight = byte(0) << 56U | byte(1) << 48U | byte(2) << 40U | byte(3) << 32U |
                              byte(4) << 24U | byte(5) << 16U | byte(6) << 8U | byte(7);
  write_twelve_bits(to, eight >> 52U);
  write_twelve_bits(to + 2, eight >> 40U);
  write_twelve_bits(to + 4, eight >> 28U);
  write_twelve_bits(to + 6, eight >> 16U);
}

inline void write_base64(Writer& out, std::string_view bytes) {
  const auto* from = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto byte = [&](std::size_t i) -> std::uint64_t { return from[i]; };
  char* to = out.extend((bytes.size() + 2) / 3 * 4);
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 6, from += 6, to += 8) write_six_bytes(to, from);
  for (; left >= 3; left -= 3, from += 3, to += 4) {
    const std::uint64_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
    write_twelve_bits(to, three >> 12U);
    write_twelve_bits(to + 2, three);
  }
  if (left == 0) return;
  const std::uint64_t rest = byte(0) << 16U | (left == 2 ? byte(1) << 8U : 0U);
  write_twelve_bits(to, rest >> 12U);
  write_twelve_bits(to + 2, rest);
  std::memset(to + 1 + left, '=', 3 - left);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
