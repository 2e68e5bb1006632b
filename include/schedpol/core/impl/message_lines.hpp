// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/limits.hpp>

#include <string>

namespace SCHEDPOL_NAMESPACE::detail {

/// The lines of a decision below its first: what `line_of` an item says, by default its message.
template <class List, class LineOf>
void append_lines(std::string& text, const List& list, LineOf&& line_of) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == max_reported_errors) {
      text += "\n  and " + std::to_string(list.size() - i) + " more";
      return;
    }
    text += "\n  " + line_of(list[i]);
  }
}
template <class List>
void append_lines(std::string& text, const List& list) {
  append_lines(text, list, [](const auto& item) { return message(item); });
}

}  // namespace SCHEDPOL_NAMESPACE::detail
