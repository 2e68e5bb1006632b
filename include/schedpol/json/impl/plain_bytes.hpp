// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds the end of what stands for itself in a JSON string, many bytes at a time. Source: RFC 8259,
/// section 7.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Bytes that are looked at together: `ends` tells whether all of them are plain, which is 0, and
/// else `first` how many of them are before the first that is not: a control character, `"`, a
/// backslash, or what is not of ASCII.
struct EightBytes {
  static constexpr std::size_t size = 8;

  [[nodiscard]] static std::uint64_t ends(const char* at) noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101U;
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, size);
    // A byte less a bound has its high bit set where it was below the bound, or had it set before:
    // true of the first such byte at least, from which others borrow.
    const std::uint64_t below =
        (eight - ones * 0x20) | ((eight ^ ones * '"') - ones) | ((eight ^ ones * '\\') - ones);
    return (below | eight) & ones * 0x80;
  }

  [[nodiscard]] static std::size_t first(const char* at, std::uint64_t) noexcept {
    std::size_t plain = 0;
    while (is_plain(at[plain])) ++plain;
    return plain;
  }

 private:
  [[nodiscard]] static bool is_plain(char c) noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
  }
};

#if defined(__SSE2__)
struct SixteenBytes {
  static constexpr std::size_t size = 16;

  [[nodiscard]] static unsigned ends(const char* at) noexcept {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                      _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    // Of numbers with a sign, where those that are not of ASCII are below 0 as they are.
    const __m128i below = _mm_subs_epi8(bytes, _mm_set1_epi8(0x20));
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(ends, below)));
  }

  [[nodiscard]] static std::size_t first(const char*, unsigned ends) noexcept {
    return static_cast<std::size_t>(std::countr_zero(ends));
  }
};
using PlainBlock = SixteenBytes;
#else
using PlainBlock = EightBytes;
#endif

/// The first byte from `at` on that is not plain. There has to be one, and `Block::size` bytes that
/// may be read behind it.
template <class Block = PlainBlock>
[[nodiscard]] inline const char* end_of_plain(const char* at) noexcept {
  while (true) {
    if (const auto ends = Block::ends(at); ends != 0) return at + Block::first(at, ends);
    at += Block::size;
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
