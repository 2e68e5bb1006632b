// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Members of JSON objects that no type of the library describes. What is null is absent.

#include <schedpol/json/decode.hpp>

#include <string_view>
#include <utility>

namespace support {

/// Nothing is in it where the bytes are no object.
[[nodiscard]] inline schedpol::json::RawObject read_object(std::string_view json) {
  auto read = schedpol::json::decode<schedpol::json::RawObject>(json);
  return read ? *std::move(read) : schedpol::json::RawObject();
}

/// Reads a member, where there is one. False where it is something else; `into` stays then.
template <class T>
bool read_member(const schedpol::json::RawObject& from, std::string_view name, T& into) {
  const auto found = from.find(name);
  if (found == from.end() || found->second.json.empty()) return true;
  auto read = schedpol::json::decode<T>(found->second.json);
  if (read) into = *std::move(read);
  return static_cast<bool>(read);
}

/// A member, or what is none of it where it is absent or something else.
template <class T>
[[nodiscard]] T member(const schedpol::json::RawObject& from, std::string_view name) {
  T value{};
  read_member(from, name, value);
  return value;
}

}  // namespace support
