// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes values as JSON, by their schemas. The rules are those of `encode.hpp`. A type that is
/// written in a way of its own has an overload of `write` in this namespace.

#include <schedpol/base/any_or.hpp>
#include <schedpol/base/names.hpp>
#include <schedpol/base/open_enum.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/impl/writer.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void write(Writer& out, const char* text) {
  write(out, std::string_view(text));
}
inline void write(Writer& out, std::same_as<bool> auto value) {
  out += value ? "true" : "false";
}

/// Integers of any width, by whatever name the platform has for it.
template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
inline void write(Writer& out, Number auto number) {
  constexpr std::size_t most_digits = 20;
  char text[most_digits];
  out += std::string_view(text, std::to_chars(text, text + most_digits, number).ptr);
}

/// JSON that is text already.
struct Raw {
  std::string_view text;
};
inline void write(Writer& out, Raw raw) {
  out += raw.text;
}

template <Worded Word>
void write(Writer& out, Word word) {
  write(out, to_string(word));
}
template <class Word>
void write(Writer& out, const OpenEnum<Word>& word) {
  write(out, word.text());
}
inline void write(Writer& out, const Quantity& quantity) {
  write(out, quantity.text());
}
inline void write(Writer& out, const FieldPath& path) {
  write(out, to_string(path));
}

/// Writes the members of one object, with the commas between them, and closes it.
class ObjectWriter {
 public:
  explicit ObjectWriter(Writer& out) : out_(out) { out_.open('{'); }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;
  ~ObjectWriter() { out_.close('}'); }

  template <class T>
  ObjectWriter& member(std::string_view name, const T& value) {
    write(key(name), value);
    return *this;
  }

  /// Writes the name, in which nothing has to be escaped, and leaves the value to the caller.
  Writer& key(std::string_view name) {
    char* at = out_.extend(name.size() + (first_ ? 3U : 4U));
    if (!first_) *at++ = ',';
    first_ = false;
    *at++ = '"';
    std::memcpy(at, name.data(), name.size());
    at += name.size();
    at[0] = '"';
    at[1] = ':';
    return out_;
  }

  /// Writes a member whose name can be anything.
  template <class T>
  void entry(std::string_view name, const T& value) {
    if (!first_) out_ += ',';
    first_ = false;
    write(out_, name);
    out_ += ':';
    write(out_, value);
  }

 private:
  Writer& out_;
  bool first_ = true;
};

/// Writes the items of one list, with the commas between them, and closes it.
class ListWriter {
 public:
  explicit ListWriter(Writer& out) : out_(out) { out_.open('['); }
  ListWriter(const ListWriter&) = delete;
  ListWriter& operator=(const ListWriter&) = delete;
  ~ListWriter() { out_.close(']'); }

  /// Leaves the next item to the caller.
  Writer& item() {
    if (!std::exchange(first_, false)) out_ += ',';
    return out_;
  }

 private:
  Writer& out_;
  bool first_ = true;
};

/// Whether a field with this value is left out: absent, or empty where that is the same.
template <class T>
bool is_absent(const T& value) {
  if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (std::same_as<T, std::int32_t> || Worded<T>) {
    return false;
  } else {
    return value == T{};
  }
}

/// What is listed but holds nothing, however deep, is left out: `{}` would be any.
template <class T>
bool is_absent(const AnyOr<T>& value) {
  if (value.is_any()) return false;
  if constexpr (Described<T>) {
    bool holds_nothing = true;
    for_each_field<T>([&](const auto& field) {
      if (!is_absent(part_of(value.listed(), field.access))) holds_nothing = false;
    });
    return holds_nothing;
  } else {
    return value.listed().empty();
  }
}

template <class T>
void write(Writer& out, const std::optional<T>& value) {
  if (value) {
    write(out, *value);
  } else {
    out += "null";
  }
}

/// Any is what is written of nothing: `[]` or `{}`.
template <class T>
void write(Writer& out, const AnyOr<T>& value) {
  if (is_absent(value)) {
    out += "null";
  } else {
    write(out, value.listed());
  }
}

template <class T>
void write(Writer& out, std::span<T> list) {
  ListWriter items(out);
  for (const T& item : list) write(items.item(), item);
}
template <class T>
void write(Writer& out, const std::vector<T>& list) {
  write(out, std::span(list));
}
inline void write(Writer& out, const Texts& texts) {
  write(out, texts.vector());
}
inline void write(Writer& out, const Names& names) {
  write(out, names.vector());
}
template <class Value, class Compare>
void write(Writer& out, const std::map<std::string, Value, Compare>& map) {
  ObjectWriter object(out);
  for (const auto& [key, value] : map) object.entry(key, value);
}

template <Described T>
void write(Writer& out, const T& value) {
  ObjectWriter object(out);
  if constexpr (Object<T>) {
    object.member("apiVersion", schema<T>.traits.api_version).member("kind", schema<T>.traits.kind);
  }
  for_each_field<T>([&](const auto& field) {
    const auto& part = part_of(value, field.access);
    const bool is_needed = schema<T>.traits.named && field.name == "metadata";
    if (is_needed || !is_absent(part)) object.member(field.name, part);
  });
}

/// Writes the first items of a list, and how many more there are, if any, which may be some that it
/// does not have.
template <class T>
void write_first(ObjectWriter& object, std::string_view name, std::string_view more,
                 const std::vector<T>& list, std::size_t most, std::size_t unlisted = 0) {
  const std::size_t written = std::min(list.size(), most);
  write(object.key(name), std::span(list).first(written));
  const std::size_t left = list.size() - written + unlisted;
  if (left > 0) object.member(more, left);
}

/// Writes what stands in a document, without spaces.
inline void write(Writer& out, Element element) {
  if (element.is_list()) {
    ListWriter list(out);
    for (const Element item : element.items()) write(list.item(), item);
  } else if (element.is_object()) {
    ObjectWriter object(out);
    for (const ElementMember member : element.members()) object.entry(member.key, member.value);
  } else if (element.is_string()) {
    write(out, element.text());
  } else if (element.is_number()) {
    out += element.text();
  } else {
    bool word = false;
    out += !element.get(word) ? "null" : word ? "true" : "false";
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
