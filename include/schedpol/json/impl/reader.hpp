// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads JSON: all of RFC 8259, in UTF-8, in one pass. What it takes beyond other readers, and what
/// less:
/// 1. A number has any size and any digits; it is kept as the text it was written in.
/// 2. A byte order mark is no white space (section 8.1 lets a reader choose), nor is a zero.
/// 3. A surrogate without the other one of its pair is refused: there is no UTF-8 for it.

#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/base/impl/path_builder.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/strings.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// Finds a key that an object has twice, in n log n of its keys.
class DuplicateKey {
 public:
  /// So many keys are compared where they share a place, more are sorted.
  static constexpr std::size_t few = 32;

  [[nodiscard]] bool is_in(ElementMembers object) { return find(object).data() != nullptr; }

  /// Where the first one is: those inside an object come before its own, and of its own the first
  /// in byte order. Nothing where every key is there once.
  [[nodiscard]] std::optional<FieldPath> place_in(const PathBuilder& at, Element element) {
    std::size_t index = 0;
    for (const Element item : element.items())
      if (auto place = place_in(at.index(index++), item)) return place;
    for (const ElementMember member : element.members())
      if (auto place = place_in(at.child(member.key), member.value)) return place;
    const std::string_view twice = find(element.members());
    if (twice.data() != nullptr) return at.child(twice).path();
    return std::nullopt;
  }

 private:
  /// The first in byte order; nowhere where all are there once.
  [[nodiscard]] std::string_view find(ElementMembers object) {
    keys_.clear();
    for (const ElementMember member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    return twice == keys_.end() ? std::string_view() : *twice;
  }

  std::vector<std::string_view> keys_;  ///< memory that is used again
};

/// Reads one text, which it changes: strings that have escapes are there without, and are shorter.
class Reader {
 public:
  /// Zeros that have to stand behind the text, where reading stops.
  static constexpr std::size_t padding = 64;

  /// The entries that a text of so many bytes has at most. An entry has a byte of its own, and
  /// another: the comma or colon before it, or, where it is the first in a list or object, the
  /// bracket that closes that; but for the root, and for what is not closed yet.
  static constexpr std::size_t most_entries(std::size_t bytes) noexcept {
    return (bytes + max_document_depth) / 2 + 2;
  }

  Reader(char* text, std::size_t bytes, DuplicateKey& duplicate_key)
      : text_(text), bytes_(bytes), duplicate_key_(duplicate_key) {}

  /// What is wrong with a text of nothing but white space.
  static constexpr std::string_view nothing = "there is nothing";

  /// False where the text is no JSON or nests too deep. A key that an object has twice stops nothing.
  [[nodiscard]] bool read(Entry* next) {
    Level levels[max_document_depth + 1];
    Level* level = levels;
    level->begin(next, '\0');
    const char* at = text_;
    while (true) {
      // An item, a member or the whole document begins here.
      if (level->end == '}') {
        if (!is_next(at, '"')) return fail(at, "a key in quotes has to stand here");
        const char* const key = at + 1;
        at = read_string(key, *next);
        if (at == nullptr) return false;
        const std::uint64_t bit = bit_of(key, next->size());
        if ((level->key_bits & bit) != 0 && repeats(*level, next)) has_duplicate_key_ = true;
        level->key_bits |= bit;
        ++next;
        if (!is_next(at, ':')) return fail(at, "a colon has to stand here");
        ++at;
      }
      if (*at != '"') at = skip_space(at);
      if (*at == '"') {
        at = read_string(at + 1, *next);
      } else if (*at == '{' || *at == '[') {
        if (level == levels + max_document_depth) return fail_too_deep();
        const char end = *at == '{' ? '}' : ']';
        ++at;
        if (!is_next(at, end)) {
          ++level;
          level->begin(next++, end);
          continue;
        }
        *next = Entry::container(kind_of(end), 0, 0);
        ++at;
      } else {
        at = read_scalar(at, *next);
      }
      if (at == nullptr) return false;
      ++next;
      // It ended here, and with it all that now ends.
      while (true) {
        if (*at == ',' && level != levels) {
          ++level->commas;
          ++at;
          break;
        }
        if (*at != level->end) {
          if (!is_space(*at)) return fail(at, level == levels ? something_behind : no_comma);
          at = skip_space(at);
          continue;
        }
        if (level == levels) return at == text_ + bytes_ || fail(at, something_behind);
        close(*level, next);
        --level;
        ++at;
      }
    }
  }

  /// Whether an object has a key twice. Only where the text was read.
  [[nodiscard]] bool has_duplicate_key() const noexcept { return has_duplicate_key_; }

  /// Whether it nests deeper than a document may. Only where the text was not read; else it is wrong.
  [[nodiscard]] bool is_too_deep() const noexcept { return is_too_deep_; }

  /// What is wrong, and at which byte. Only where the text is no JSON.
  [[nodiscard]] std::string_view wrong() const noexcept { return wrong_; }
  [[nodiscard]] std::size_t wrong_at() const noexcept { return wrong_at_; }

 private:
  /// A list or object that is being read, and what is around them all, which ends with a zero.
  struct Level {
    Entry* entry;
    std::size_t commas;
    std::uint64_t key_bits;  ///< of the keys of an object
    char end;

    void begin(Entry* at, char ends_with) noexcept {
      entry = at;
      commas = 0;
      key_bits = 0;
      end = ends_with;
    }
  };

  bool fail(const char* at, std::string_view wrong) noexcept {
    wrong_at_ = place(at);
    wrong_ = wrong_at_ < bytes_                   ? wrong
             : place(skip_space(text_)) == bytes_ ? nothing
                                                  : "it ends before it is complete";
    return false;
  }
  bool fail_too_deep() noexcept {
    is_too_deep_ = true;
    return false;
  }
  const char* no_end(const char* at, std::string_view wrong) noexcept {
    fail(at, wrong);
    return nullptr;
  }

  [[nodiscard]] static ElementKind kind_of(char end) noexcept {
    return end == '}' ? ElementKind::object : ElementKind::list;
  }

  [[nodiscard]] static bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  [[nodiscard]] static const char* skip_space(const char* at) noexcept {
    while (static_cast<unsigned char>(*at) <= ' ' && is_space(*at)) ++at;
    return at;
  }
  /// Whether this is the next that is no space.
  [[nodiscard]] static bool is_next(const char*& at, char wanted) noexcept {
    if (*at == wanted) return true;
    at = skip_space(at);
    return *at == wanted;
  }

  [[nodiscard]] std::size_t place(const char* at) const noexcept {
    return static_cast<std::size_t>(at - text_);
  }

  /// One of 64, the same for equal keys. Those of one object tend to differ in their length, their
  /// beginning or their end; of an empty one both are its quotes. Of the objects of Kubernetes hardly
  /// two keys share one with these factors.
  [[nodiscard]] static std::uint64_t bit_of(const char* key, std::size_t size) noexcept {
    const auto byte = [](const char* at) -> std::size_t { return static_cast<unsigned char>(*at); };
    return std::uint64_t{1} << ((size * 2U + byte(key) * 8U + byte(key + size - 1)) & 63U);
  }

  /// Whether the last key of an object is there before; of one with many keys that is found in the
  /// end.
  [[nodiscard]] bool repeats(const Level& level, const Entry* key) const noexcept {
    if (level.commas >= DuplicateKey::few) return false;
    for (const Entry* other = level.entry + 1; other != key; other = (other + 1)->next())
      if (other->text(text_) == key->text(text_)) return true;
    return false;
  }

  void close(const Level& level, const Entry* next) {
    const auto inside = static_cast<std::size_t>(next - level.entry) - 1;
    *level.entry = Entry::container(kind_of(level.end), level.commas + 1, inside);
    if (level.commas >= DuplicateKey::few && level.end == '}' &&
        duplicate_key_.is_in({text_, level.entry}))
      has_duplicate_key_ = true;
  }

  /// What reads a part returns what is behind it; null where the part is wrong.
  [[nodiscard]] const char* read_string(const char* begin, Entry& into) {
    const char* const end = end_of_plain(begin);
    if (*end != '"') return read_unplain(begin, end, into);
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(end - begin)};
    return end + 1;
  }

  /// A string whose first byte that is not plain is at `at`. What it says is written over it.
  [[nodiscard]] const char* read_unplain(const char* begin, const char* at, Entry& into) {
    char* to = text_ + place(at);
    while (*at != '"') {
      const char* const part = at;
      if (*at == '\\') {
        at = read_escape(at, to);
        if (at == nullptr) return no_end(part, "an escape is malformed");
      } else if (static_cast<unsigned char>(*at) < 0x80) {
        return no_end(at, "a control character stands in a string");
      } else {
        at = end_of_sequence(at);
        if (at == nullptr) return no_end(part, "it is not UTF-8");
        to = move_bytes(to, part, at);
      }
      const char* const plain = at;
      at = end_of_plain(plain);
      to = move_bytes(to, plain, at);
    }
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(to - begin)};
    return at + 1;
  }

  /// Returns where the bytes end now.
  static char* move_bytes(char* to, const char* begin, const char* end) noexcept {
    const auto bytes = static_cast<std::size_t>(end - begin);
    std::memmove(to, begin, bytes);
    return to + bytes;
  }

  [[nodiscard]] const char* read_scalar(const char* at, Entry& into) {
    switch (*at) {
      case 't': return read_word(at, "true", ElementKind::yes, into);
      case 'f': return read_word(at, "false", ElementKind::no, into);
      case 'n': return read_word(at, "null", ElementKind::null, into);
      default: return read_number(at, into);
    }
  }

  [[nodiscard]] const char* read_word(const char* at, std::string_view word, ElementKind kind,
                                      Entry& into) {
    if (std::memcmp(at, word.data(), word.size()) != 0) return no_end(at, no_value);
    into = {kind, 0, 0};
    return at + word.size();
  }

  [[nodiscard]] const char* read_number(const char* begin, Entry& into) {
    constexpr std::ptrdiff_t short_digits = 18;  // which 64 bits hold
    const char* const digits = begin + (*begin == '-' ? 1 : 0);
    const char* at = skip_digits(digits);
    if (at == digits) return no_end(begin, digits == begin ? no_value : malformed_number);
    if (*digits == '0' && at - digits > 1) return no_end(begin, malformed_number);
    ElementKind kind = ElementKind::integer;
    if (*at == '.' || *at == 'e' || *at == 'E') {
      kind = ElementKind::real;
      at = end_of_real(at);
      if (at == nullptr) return no_end(begin, malformed_number);
    } else if (at - digits > short_digits) {
      const std::string_view whole(begin, static_cast<std::size_t>(at - begin));
      if (!schedpol::detail::plain_int64(whole)) kind = ElementKind::real;
    }
    into = {kind, place(begin), static_cast<std::size_t>(at - begin)};
    return at;
  }

  [[nodiscard]] static const char* skip_digits(const char* at) noexcept {
    while (*at >= '0' && *at <= '9') ++at;
    return at;
  }

  /// Behind the fraction and the exponent, of which there is one; null where that is malformed.
  [[nodiscard]] static const char* end_of_real(const char* at) noexcept {
    if (*at == '.') {
      const char* const fraction = at + 1;
      at = skip_digits(fraction);
      if (at == fraction) return nullptr;
    }
    if (*at != 'e' && *at != 'E') return at;
    const char* const exponent = at + (at[1] == '+' || at[1] == '-' ? 2 : 1);
    at = skip_digits(exponent);
    return at == exponent ? nullptr : at;
  }

  static constexpr std::string_view something_behind = "something stands behind the value";
  static constexpr std::string_view no_comma =
      "a comma or the end of the list or object has to stand here";
  static constexpr std::string_view no_value = "a value has to stand here";
  static constexpr std::string_view malformed_number = "a number is malformed";

  char* text_;
  std::size_t bytes_;
  DuplicateKey& duplicate_key_;
  bool has_duplicate_key_ = false;
  bool is_too_deep_ = false;
  std::string_view wrong_;
  std::size_t wrong_at_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
