// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the texts of errors, violations and changes show input: between backticks, on one line, at
/// most `max_shown_bytes` long. Objects are untrusted, and these texts end up in logs and on
/// terminals.

#include <schedpol/base/names.hpp>
#include <schedpol/base/text_limits.hpp>

#include <cstdint>

namespace SCHEDPOL_NAMESPACE {

/// The length in bytes of the first character of `text`, if it must not be shown as it is. That holds
/// for control characters (ASCII, and U+0080 to U+009F, which terminals obey too), line and paragraph
/// separators (U+2028, U+2029), and characters that change the text direction, so that a line seems
/// to say something else (Unicode's Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069). Zero for any other first character, and for an empty text.
[[nodiscard]] std::size_t unprintable_bytes(std::string_view text) noexcept;

/// ASCII characters that separate the parts of a text, so they get a backslash inside a part. Most sets
/// are compile-time constants.
class Separators {
 public:
  /// All characters of a literal, a string or a string view.
  template <std::convertible_to<std::string_view> T>
  constexpr Separators(const T& all) noexcept {  // NOLINT(google-explicit-constructor)
    for (const char c : std::string_view(all)) {
      const auto byte = static_cast<unsigned char>(c);
      special_[byte / 64U] |= std::uint64_t{1} << (byte % 64U);
    }
  }

  /// Whether a byte may need escaping: a separator, a backslash, a control character or a byte
  /// outside ASCII.
  [[nodiscard]] constexpr bool is_special(char c) const noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (special_[byte / 64U] >> (byte % 64U) & 1U) != 0;
  }

 private:
  /// One bit for each ASCII character.
  std::uint64_t special_[2] = {0xFFFF'FFFFU,
                               std::uint64_t{1} << 63U | std::uint64_t{1} << ('\\' % 64U)};
};

/// Appends `part` with a backslash before each separator and each backslash. The bytes of
/// unprintable characters (`unprintable_bytes`) are in hexadecimal. Two different values never have
/// the same text, and no value breaks the line.
void append_escaped(std::string& text, std::string_view part, const Separators& separators);

/// `input` between backticks, escaped by `append_escaped` with the backtick as separator. Input
/// longer than `max_shown_bytes` is cut, never inside a UTF-8 sequence.
[[nodiscard]] std::string in_backticks(std::string_view input);

/// `a`, `b` and `c`; with more than `max_shown_names` names, `a`, `b`, `c`, `d`, `e` and 55 more;
/// empty without names.
[[nodiscard]] std::string in_backticks(const Names& names);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/quoting.ipp>
#endif
