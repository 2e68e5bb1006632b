// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each of the two readers of documents makes of some bytes, as text that can be compared.

#include <schedpol/json/impl/dom_reader.hpp>
#include <schedpol/json/impl/duplicate_key.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/plain_reader.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace schedpol::testing {

/// Every element with its kind and the number of what is in it; texts with their lengths.
inline void show(json::detail::Element element, std::string& text) {
  json::detail::ElementItems items;
  json::detail::ElementMembers members;
  const auto show_text = [&](std::string_view what) {
    text.append(std::to_string(what.size())).append(":").append(what);
  };
  text += static_cast<char>('a' + static_cast<int>(element.kind()));
  if (element.get(items)) {
    text += std::to_string(items.size()) + "[";
    for (const json::detail::Element item : items) show(item, text);
    text += ']';
  } else if (element.get(members)) {
    text += std::to_string(members.size()) + "{";
    for (const json::detail::ElementMember member : members) {
      show_text(member.key);
      show(member.value, text);
    }
    text += '}';
  } else if (element.is_string() || element.is_number()) {
    show_text(element.text());
  }
}

/// What the quick one reads; nothing where it gives up. The text it is given is on the heap, and no
/// longer than it has to be.
inline std::optional<std::string> read_plainly(std::string_view bytes) {
  using json::detail::PlainReader;
  const std::size_t size = bytes.size() + PlainReader::padding;
  const std::unique_ptr<char[]> text(new char[size]());
  bytes.copy(text.get(), bytes.size());
  const std::unique_ptr<json::detail::Entry[]> entries(
      new json::detail::Entry[PlainReader::most_entries(bytes.size())]);
  json::detail::DuplicateKey duplicate_key;
  if (!PlainReader(text.get(), bytes.size(), duplicate_key).read(entries.get()))
    return std::nullopt;
  std::string shown;
  show({text.get(), entries.get()}, shown);
  return shown;
}

/// What the thorough one reads; nothing where the document is not good.
inline std::optional<std::string> read_thoroughly(std::string_view bytes) {
  const std::unique_ptr<json::detail::Entry[]> entries(
      new json::detail::Entry[json::detail::PlainReader::most_entries(bytes.size())]);
  json::detail::DuplicateKey duplicate_key;
  std::string text;
  if (json::detail::DomReader().read(bytes, text, entries.get(), duplicate_key))
    return std::nullopt;
  std::string shown;
  show({text.data(), entries.get()}, shown);
  return shown;
}

}  // namespace schedpol::testing
