// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where something stands in a text, for people and editors.

#include <cstddef>
#include <string>
#include <string_view>

namespace support::yaml {

/// Counted from one; a column is a Unicode character.
struct Place {
  std::size_t line = 1;
  std::size_t column = 1;

  friend bool operator==(const Place&, const Place&) = default;
};

/// The place behind `text`, which begins at `place`.
[[nodiscard]] Place behind(Place place, std::string_view text);

/// What is to be said of a text, and of which place in it.
struct Message {
  Place place{};
  std::string text{};
};

/// What is wrong with a template, as a chart has them.
inline constexpr std::string_view not_rendered =
    "this looks like a template that is not rendered: render it first, as by `helm template`";

/// `FILE:LINE:COLUMN`, and with a text behind it `FILE:LINE:COLUMN: TEXT`.
[[nodiscard]] std::string to_string(std::string_view file, Place place);
[[nodiscard]] std::string to_string(std::string_view file, const Message& message);

}  // namespace support::yaml
