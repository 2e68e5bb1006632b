// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The elements of a document: one entry for each value and key, in order. Strings and numbers refer to
/// parts of its text.

#include <schedpol/version.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::json::detail {

enum class ElementKind : std::uint32_t {
  absent,  ///< there is nothing
  null,
  no,
  yes,
  integer,  ///< without fraction and exponent, and of 64 bits
  real,     ///< any other number
  string,
  list,
  object,
};

/// A value or a key. It holds nothing until it is made.
class Entry {
  static constexpr std::uint32_t kind_shift = 28;  ///< texts have fewer bytes than 2 to this

 public:
  Entry() noexcept = default;

  /// A string or number of `size` bytes from `at` on in the text; a word has none.
  constexpr Entry(ElementKind kind, std::size_t at, std::size_t size) noexcept
      : head_(static_cast<std::uint32_t>(kind) << kind_shift | static_cast<std::uint32_t>(at)),
        tail_(static_cast<std::uint32_t>(size)) {}

  /// A list of so many items, or an object of so many members, with all the entries in it.
  static Entry container(ElementKind kind, std::size_t count, std::size_t inside) noexcept {
    return {kind, count, inside};
  }

  [[nodiscard]] ElementKind kind() const noexcept {
    return static_cast<ElementKind>(head_ >> kind_shift);
  }
  [[nodiscard]] std::string_view text(const char* text) const noexcept {
    return {text + low(), tail_};
  }
  [[nodiscard]] std::size_t size() const noexcept { return tail_; }
  [[nodiscard]] std::size_t count() const noexcept { return low(); }

  /// The entry behind all of this one.
  [[nodiscard]] const Entry* next() const noexcept {
    constexpr auto first_container = static_cast<std::uint32_t>(ElementKind::list) << kind_shift;
    return this + 1 + (head_ >= first_container ? tail_ : 0U);
  }

 private:
  [[nodiscard]] std::uint32_t low() const noexcept {
    return head_ & ((std::uint32_t{1} << kind_shift) - 1U);
  }

  std::uint32_t head_;  ///< the kind, and a place in the text or a count
  std::uint32_t tail_;  ///< a number of bytes or of entries
};

/// The entry of what is not there.
inline constexpr Entry no_entry(ElementKind::absent, 0, 0);

struct ElementMember;
template <class Inside>
class ElementRange;

/// A value in a document; valid as long as the document stays as it is. One that is not there is an
/// element too, of which nothing can be read.
class Element {
 public:
  Element() noexcept = default;
  Element(const char* text, const Entry* entry) noexcept : text_(text), entry_(entry) {}

  [[nodiscard]] ElementKind kind() const noexcept { return entry_->kind(); }
  [[nodiscard]] bool is_there() const noexcept { return kind() != ElementKind::absent; }
  [[nodiscard]] bool is_null() const noexcept { return kind() == ElementKind::null; }
  [[nodiscard]] bool is_string() const noexcept { return kind() == ElementKind::string; }
  [[nodiscard]] bool is_list() const noexcept { return kind() == ElementKind::list; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == ElementKind::object; }
  [[nodiscard]] bool is_number() const noexcept {
    return kind() == ElementKind::integer || kind() == ElementKind::real;
  }

  /// The value of a member of this object; of the first one where several have the key.
  [[nodiscard]] Element operator[](std::string_view key) const noexcept;

  /// The same, where null says no more than absence.
  [[nodiscard]] Element non_null(std::string_view key) const noexcept {
    const Element value = (*this)[key];
    return value.is_null() ? Element() : value;
  }

  /// The value that these members lead to, one in the other.
  [[nodiscard]] Element below(std::span<const std::string_view> keys) const noexcept {
    Element found = *this;
    for (const std::string_view key : keys) found = found[key];
    return found;
  }

  /// What the string says, or the digits of the number. Only of those.
  [[nodiscard]] std::string_view text() const noexcept { return entry_->text(text_); }

  /// What it holds; false where that is something else.
  [[nodiscard]] bool get(std::string_view& into) const noexcept {
    if (!is_string()) return false;
    into = text();
    return true;
  }
  [[nodiscard]] bool get(bool& into) const noexcept {
    if (kind() != ElementKind::yes && kind() != ElementKind::no) return false;
    into = kind() == ElementKind::yes;
    return true;
  }
  [[nodiscard]] bool get(std::int64_t& into) const noexcept {
    if (kind() != ElementKind::integer) return false;
    std::from_chars(text().data(), text().data() + text().size(), into);
    return true;
  }

  /// What stands in the list, or in the object; nothing where it is something else.
  [[nodiscard]] ElementRange<Element> items() const noexcept;
  [[nodiscard]] ElementRange<ElementMember> members() const noexcept;

 private:
  const char* text_ = nullptr;
  const Entry* entry_ = &no_entry;
};

/// What stands there, for a person.
[[nodiscard]] inline std::string_view type_of(Element from) noexcept {
  switch (from.kind()) {
    case ElementKind::list: return "a list";
    case ElementKind::object: return "an object";
    case ElementKind::string: return "a string";
    case ElementKind::yes:
    case ElementKind::no: return "true or false";
    case ElementKind::null: return "null";
    case ElementKind::absent: return "nothing";
    case ElementKind::integer:
    case ElementKind::real: break;
  }
  return "a number";
}

struct ElementMember {
  std::string_view key;
  Element value;
};

/// What stands in a list or an object, in its order: values, or members, which have an entry for the
/// key before that of the value.
template <class Inside>
class ElementRange {
  static constexpr bool has_keys = std::is_same_v<Inside, ElementMember>;

 public:
  class Iterator {
   public:
    Iterator(const char* text, const Entry* at) noexcept : text_(text), at_(at) {}

    [[nodiscard]] Inside operator*() const noexcept {
      if constexpr (has_keys) {
        return {at_->text(text_), {text_, at_ + 1}};
      } else {
        return {text_, at_};
      }
    }
    Iterator& operator++() noexcept {
      at_ = (has_keys ? at_ + 1 : at_)->next();
      return *this;
    }
    [[nodiscard]] bool operator==(const Iterator& other) const noexcept { return at_ == other.at_; }

   private:
    const char* text_;
    const Entry* at_;
  };

  ElementRange() noexcept = default;
  ElementRange(const char* text, const Entry* around) noexcept : text_(text), around_(around) {}

  [[nodiscard]] std::size_t size() const noexcept { return around_->count(); }
  [[nodiscard]] Iterator begin() const noexcept { return {text_, around_ + 1}; }
  [[nodiscard]] Iterator end() const noexcept { return {text_, around_ + 1 + around_->size()}; }

 private:
  const char* text_ = nullptr;
  const Entry* around_ = &no_entry;
};

using ElementItems = ElementRange<Element>;
using ElementMembers = ElementRange<ElementMember>;

inline ElementItems Element::items() const noexcept {
  return is_list() ? ElementItems(text_, entry_) : ElementItems();
}

inline ElementMembers Element::members() const noexcept {
  return is_object() ? ElementMembers(text_, entry_) : ElementMembers();
}

inline Element Element::operator[](std::string_view key) const noexcept {
  for (const ElementMember member : members())
    if (member.key == key) return member.value;
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
