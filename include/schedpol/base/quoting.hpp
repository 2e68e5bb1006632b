// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded (`max_shown_bytes`). Objects are untrusted, and a reason ends up in logs
/// and on terminals.

#include <schedpol/base/names.hpp>
#include <schedpol/base/text_limits.hpp>

#include <cstdint>

namespace SCHEDPOL_NAMESPACE {

/// Bytes of the character that `text` starts with, where it must not be shown as it is: control
/// characters (those of ASCII, and U+0080 to U+009F, which terminals obey too), the separators of
/// lines and paragraphs (U+2028, U+2029), and what changes the direction of a text, so that a line
/// seems to say something else (Unicode's Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E,
/// U+2066 to U+2069). Zero where it starts with another one, or is empty.
[[nodiscard]] std::size_t unprintable_bytes(std::string_view text) noexcept;

/// Characters of ASCII that stand between the parts of a text, and so get a backslash within them. Most
/// are known when a program is compiled.
class Separators {
 public:
  /// Of a literal, a string or a view of one.
  template <std::convertible_to<std::string_view> T>
  constexpr Separators(const T& all) noexcept {  // NOLINT(google-explicit-constructor)
    for (const char c : std::string_view(all)) {
      const auto byte = static_cast<unsigned char>(c);
      special_[byte / 64U] |= std::uint64_t{1} << (byte % 64U);
    }
  }

  /// Whether a byte may have to be written in another way: one of them, a backslash, a control
  /// character, or what is not of ASCII.
  [[nodiscard]] constexpr bool is_special(char c) const noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (special_[byte / 64U] >> (byte % 64U) & 1U) != 0;
  }

 private:
  /// A bit for each character of ASCII.
  std::uint64_t special_[2] = {0xFFFF'FFFFU,
                               std::uint64_t{1} << 63U | std::uint64_t{1} << ('\\' % 64U)};
};

/// Appends `part`, with a backslash before each of `separators` and before a backslash, and the
/// bytes of what is not printable (`unprintable_bytes`) in hexadecimal: two different values never
/// render as the same text, and none breaks the line.
void append_escaped(std::string& text, std::string_view part, const Separators& separators);

/// `input` between backticks, escaped as by `append_escaped` with the backtick for separator. What
/// is longer than `max_shown_bytes` is cut (never inside a UTF-8 sequence).
[[nodiscard]] std::string in_backticks(std::string_view input);

/// `a`, `b` and `c`; `a`, `b`, `c`, `d`, `e` and 55 more, where there are more than
/// `max_shown_names`; empty for no names.
[[nodiscard]] std::string in_backticks(const Names& names);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/quoting.ipp>
#endif
