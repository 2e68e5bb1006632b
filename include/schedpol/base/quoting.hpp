// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded (`max_shown_bytes`). Objects are untrusted, and a reason ends up in logs
/// and on terminals.

#include <schedpol/base/names.hpp>
#include <schedpol/base/text_limits.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Bytes of the character that `text` starts with, where it must not be shown as it is: control
/// characters (those of ASCII, and U+0080 to U+009F, which terminals obey too), the separators of
/// lines and paragraphs (U+2028, U+2029), and what changes the direction of a text, so that a line
/// seems to say something else (Unicode's Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E,
/// U+2066 to U+2069). Zero where it starts with another one, or is empty.
[[nodiscard]] std::size_t unprintable_bytes(std::string_view text) noexcept;

/// Appends `part`, with a backslash before each of `separators` and before a backslash, and the
/// bytes of what is not printable (`unprintable_bytes`) in hexadecimal: two different values never
/// render as the same text, and none breaks the line.
void append_escaped(std::string& text, std::string_view part, std::string_view separators);

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
