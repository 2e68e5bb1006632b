// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Values by text, as their authors write them. `{{"a", "b"}}` is one pair; one pair of braces more does
/// not compile, where a `std::map` of strings would read `{{{"a", "b"}, {"c", "d"}}}` as two ranges of
/// characters.

#include <schedpol/base/texts.hpp>

#include <map>

namespace SCHEDPOL_NAMESPACE {

/// One pair in braces; a value that is a text is made of anything that reads as one.
template <class Value>
struct TextMapEntry {
  /// The pair of two texts, or of a text and a value.
  TextMapEntry(Text of, std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> is)
      : key(of), value(std::move(is)) {}

  Text key;
  std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> value;
};

/// Values by key, in the byte order of the keys; absent and empty are one. Otherwise a `std::map`.
template <class Value>
class TextMap : public std::map<std::string, Value, std::less<>> {
 public:
  using Entry = TextMapEntry<Value>;  ///< one pair

  TextMap() = default;
  /// Of two pairs with one key the first counts.
  TextMap(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) {
      if constexpr (std::is_same_v<Value, std::string>) {
        this->try_emplace(std::string(entry.key.value), std::string(entry.value.value));
      } else {
        this->try_emplace(std::string(entry.key.value), Value(entry.value));
      }
    }
  }
  TextMap(std::initializer_list<std::initializer_list<Entry>>) = delete;  // braces too many
  TextMap& operator=(std::initializer_list<Entry> entries) { return *this = TextMap(entries); }
};

}  // namespace SCHEDPOL_NAMESPACE
