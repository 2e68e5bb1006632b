// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/limits.hpp>

#include <string>

namespace SCHEDPOL_NAMESPACE::detail {

/// The lines of a decision below its first.
template <class List>
void append_lines(std::string& text, const List& list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == max_reported_errors) {
      text += "\n  and " + std::to_string(list.size() - i) + " more";
      return;
    }
    text += "\n  " + message(list[i]);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail
