// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A map with text keys, written as in YAML. `{{"a", "b"}}` is one pair. An extra pair of braces does not
/// compile; a `std::map` of strings would read `{{{"a", "b"}, {"c", "d"}}}` as two ranges of
/// characters.

#include <schedpol/base/texts.hpp>

#include <map>

namespace SCHEDPOL_NAMESPACE {

/// One pair in braces. A text value may be anything that converts to a text.
template <class Value>
struct TextMapEntry {
  /// A pair of two texts, or of a text and a value.
  TextMapEntry(Text of, std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> is)
      : key(of), value(std::move(is)) {}

  Text key;
  std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> value;
};

/// A `std::map` in byte order of its keys. Absent and empty mean the same.
template <class Value>
class TextMap : public std::map<std::string, Value, std::less<>> {
 public:
  using Entry = TextMapEntry<Value>;  ///< one pair

  TextMap() = default;
  /// If two pairs have the same key, the first counts.
  TextMap(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) {
      if constexpr (std::is_same_v<Value, std::string>) {
        this->try_emplace(std::string(entry.key.value), std::string(entry.value.value));
      } else {
        this->try_emplace(std::string(entry.key.value), Value(entry.value));
      }
    }
  }
  TextMap(std::initializer_list<std::initializer_list<Entry>>) = delete;  // too many braces
  TextMap& operator=(std::initializer_list<Entry> entries) { return *this = TextMap(entries); }
};

}  // namespace SCHEDPOL_NAMESPACE
