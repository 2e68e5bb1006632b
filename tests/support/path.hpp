// SPDX-License-Identifier: Apache-2.0
#pragma once

// Paths as tests write them down. The library itself never reads one from a text.

#include <schedpol/base/field_path.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::testing {

/// `spec.units[3].nodeSelector[disk]`: in brackets digits are an index, anything else up to the
/// closing bracket before a dot, another bracket or the end is a key.
inline FieldPath operator""_path(const char* text, std::size_t size) {
  FieldPath path;
  std::string_view rest(text, size);
  while (!rest.empty()) {
    if (rest.front() != '[') {
      if (rest.front() == '.') rest.remove_prefix(1);
      const std::string_view name = rest.substr(0, rest.find_first_of(".["));
      path = std::move(path).child(name);
      rest.remove_prefix(name.size());
      continue;
    }
    std::size_t end = rest.find(']');
    while (end + 1 < rest.size() && rest[end + 1] != '.' && rest[end + 1] != '[')
      end = rest.find(']', end + 1);
    const std::string_view inside = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (!inside.empty() && inside.find_first_not_of("0123456789") == std::string_view::npos) {
      path = std::move(path).index(std::stoul(std::string(inside)));
    } else {
      path = std::move(path).key(inside);
    }
  }
  return path;
}

}  // namespace schedpol::testing
