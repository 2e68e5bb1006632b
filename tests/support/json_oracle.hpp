// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reader of documents beside simdjson: what both make of some bytes has to be the same.

#include <schedpol/base/field_path.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/reader.hpp>

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace schedpol::testing {

/// What the reader makes of some bytes. The text it is given is on the heap, and no longer than it
/// has to be; so are the entries.
class Reading {
 public:
  explicit Reading(std::string_view bytes)
      : text_(new char[bytes.size() + json::detail::Reader::padding]()),
        entries_(new json::detail::Entry[json::detail::Reader::most_entries(bytes.size())]),
        reader_(text_.get(), bytes.size(), duplicate_key_) {
    bytes.copy(text_.get(), bytes.size());
    is_json_ = reader_.read(entries_.get());
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  [[nodiscard]] bool is_json() const { return is_json_; }
  [[nodiscard]] bool is_too_deep() const { return !is_json_ && reader_.is_too_deep(); }
  [[nodiscard]] json::detail::Element root() const { return {text_.get(), entries_.get()}; }

  /// Where a key is that an object has twice. Only of JSON.
  [[nodiscard]] std::optional<FieldPath> duplicate_key() {
    if (!reader_.has_duplicate_key()) return std::nullopt;
    auto place = duplicate_key_.place_in({}, root());
    return place ? std::move(place) : FieldPath{"nowhere"};
  }

  /// Where a text of the elements stands in the bytes.
  [[nodiscard]] std::size_t place(std::string_view text) const {
    return static_cast<std::size_t>(text.data() - text_.get());
  }

 private:
  std::unique_ptr<char[]> text_;
  std::unique_ptr<json::detail::Entry[]> entries_;
  json::detail::DuplicateKey duplicate_key_;
  json::detail::Reader reader_;
  bool is_json_ = false;
};

/// Levels of nesting of what simdjson read.
inline std::size_t levels_of(simdjson::dom::element element) {
  std::size_t deepest = 0;
  simdjson::dom::array items;
  simdjson::dom::object members;
  if (element.get(items) == simdjson::SUCCESS) {
    for (const auto item : items) deepest = std::max(deepest, levels_of(item));
  } else if (element.get(members) == simdjson::SUCCESS) {
    for (const auto member : members) deepest = std::max(deepest, levels_of(member.value));
  } else {
    return 0;
  }
  return deepest + 1;
}

/// The first key that is there twice, as `Document` tells it.
inline std::optional<FieldPath> duplicate_key_of(const FieldPath& at,
                                                 simdjson::dom::element element) {
  simdjson::dom::array items;
  simdjson::dom::object members;
  if (element.get(items) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const auto item : items)
      if (auto place = duplicate_key_of(FieldPath(at).index(index++), item)) return place;
  } else if (element.get(members) == simdjson::SUCCESS) {
    std::vector<std::string_view> keys;
    for (const auto member : members) {
      if (auto place = duplicate_key_of(FieldPath(at).child(member.key), member.value))
        return place;
      keys.push_back(member.key);
    }
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) return FieldPath(at).child(*twice);
  }
  return std::nullopt;
}

/// Whether both read the same: kinds, texts and the bits of numbers, items and members in order.
inline bool is_same(json::detail::Element ours, simdjson::dom::element theirs) {
  using json::detail::ElementKind;
  using Type = simdjson::dom::element_type;
  switch (theirs.type()) {
    case Type::OBJECT: {
      const simdjson::dom::object object = theirs.get_object().value_unsafe();
      if (!ours.is_object()) return false;
      const json::detail::ElementMembers members = ours.members();
      auto member = members.begin();
      std::size_t count = 0;
      for (const auto [key, value] : object) {
        if (++count > members.size() || (*member).key != key) return false;
        if (!is_same((*member).value, value)) return false;
        ++member;
      }
      return count == members.size();
    }
    case Type::ARRAY: {
      const simdjson::dom::array array = theirs.get_array().value_unsafe();
      if (!ours.is_list()) return false;
      const json::detail::ElementItems items = ours.items();
      auto item = items.begin();
      std::size_t count = 0;
      for (const auto value : array) {
        if (++count > items.size() || !is_same(*item, value)) return false;
        ++item;
      }
      return count == items.size();
    }
    case Type::STRING: return ours.is_string() && ours.text() == theirs.get_string().value_unsafe();
    case Type::INT64: {
      std::int64_t number = 0;
      return ours.get(number) && number == theirs.get_int64().value_unsafe();
    }
    case Type::UINT64:
      return ours.kind() == ElementKind::real &&
             ours.text() == std::to_string(theirs.get_uint64().value_unsafe());
    case Type::DOUBLE: {
      if (ours.kind() != ElementKind::real) return false;
      const double number = std::strtod(std::string(ours.text()).c_str(), nullptr);
      const double other = theirs.get_double().value_unsafe();
      return number == other && std::signbit(number) == std::signbit(other);
    }
    case Type::BOOL: {
      bool word = false;
      return ours.get(word) && word == theirs.get_bool().value_unsafe();
    }
    case Type::NULL_VALUE: return ours.is_null();
  }
  return false;
}

/// Whether simdjson has no type for a number: an integer beyond 64 bits, or more than a double.
inline bool is_beyond(std::string_view number) {
  if (number.find_first_of(".eE") != number.npos)
    return std::isinf(std::strtod(std::string(number).c_str(), nullptr));
  std::int64_t integer = 0;
  std::uint64_t natural = 0;
  const char* const end = number.data() + number.size();
  return std::from_chars(number.data(), end, integer).ec != std::errc() &&
         std::from_chars(number.data(), end, natural).ec != std::errc();
}

/// Puts a zero in place of every number that simdjson has no type for.
inline void shrink_numbers(const Reading& reading, json::detail::Element element,
                           std::string& bytes) {
  for (const auto item : element.items()) shrink_numbers(reading, item, bytes);
  for (const auto member : element.members()) shrink_numbers(reading, member.value, bytes);
  if (element.is_number() && is_beyond(element.text())) {
    const std::size_t size = element.text().size();
    bytes.replace(reading.place(element.text()), size, "0" + std::string(size - 1, ' '));
  }
}

enum class Shrunk { no, yes };

/// In what the reader and simdjson differ about some bytes; empty where they agree. On purpose they
/// do about numbers, which are a document's whatever their size.
inline std::string difference(std::string_view bytes, Shrunk shrunk = Shrunk::no) {
  constexpr std::size_t deepest = 4 * max_document_depth;
  static simdjson::dom::parser parser;
  if (parser.capacity() < bytes.size() &&
      parser.allocate(bytes.size() + 1024, deepest) != simdjson::SUCCESS)
    return "simdjson has no memory";
  simdjson::dom::element theirs;
  const auto error = parser.parse(bytes.data(), bytes.size(), true).get(theirs);
  Reading ours(bytes);
  if (error == simdjson::NUMBER_ERROR && ours.is_json() && shrunk == Shrunk::no) {
    std::string smaller(bytes);
    shrink_numbers(ours, ours.root(), smaller);
    return difference(smaller, Shrunk::yes);
  }
  if (error != simdjson::SUCCESS) return ours.is_json() ? "only simdjson refuses it" : "";
  if (levels_of(theirs) > max_document_depth)
    return ours.is_too_deep() ? "" : "it is not found too deep";
  if (!ours.is_json()) return "only simdjson takes it";
  if (!is_same(ours.root(), theirs)) return "they read other values";
  return ours.duplicate_key() == duplicate_key_of({}, theirs) ? "" : "they find other keys twice";
}

}  // namespace schedpol::testing
