// SPDX-License-Identifier: Apache-2.0
#include "place.hpp"

#include <algorithm>

namespace support::yaml {

Place behind(Place place, std::string_view text) {
  const std::size_t last_line = text.rfind('\n');
  if (last_line != std::string_view::npos) {
    place.line += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    place.column = 1;
    text.remove_prefix(last_line + 1);
  }
  place.column += static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
  }));
  return place;
}

std::string to_string(std::string_view file, Place place) {
  std::string text(file);
  text += ':';
  text += std::to_string(place.line);
  text += ':';
  text += std::to_string(place.column);
  return text;
}

std::string to_string(std::string_view file, const Message& message) {
  return to_string(file, message.place) + ": " + message.text;
}

}  // namespace support::yaml
