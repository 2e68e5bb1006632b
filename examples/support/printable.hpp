// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts from outside on their way to a log, a terminal or a report: what would break a line, steer a
/// terminal or turn a line round (`schedpol::unprintable_bytes`) is escaped, and so is what is no
/// UTF-8. All else, escapes of the library among it, stays as it is.

#include <cstddef>
#include <string>
#include <string_view>

namespace support {

/// Bytes of the UTF-8 sequence that a text begins with; 0 where there is none.
[[nodiscard]] std::size_t utf8_bytes(std::string_view text) noexcept;

/// The character of a UTF-8 sequence.
[[nodiscard]] char32_t code_point(std::string_view sequence) noexcept;

/// With the bytes in hexadecimal, `\x1b`, as texts of the library have them.
[[nodiscard]] std::string printable(std::string_view text);

/// JSON that means the same, with `\u` escapes in its strings; U+FFFD is in the place of each byte
/// that is no UTF-8. Line breaks between its values stay.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace support
