// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The quick one of two readers of documents: for those that are good and plain, which nearly all
/// are that a cluster sends. It gives up, and the other one (`dom_reader.hpp`) decides, at whatever
/// is wrong and at whatever is rare: bytes beyond ASCII, escapes of such, numbers that are no
/// integers of 18 digits. What it does read is what the other one reads.

#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/duplicate_key.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/plain_bytes.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace schedpol::json::detail {

/// Reads one text, which it changes: strings that have escapes are there without, and are shorter.
class PlainReader {
 public:
  /// Zeros that have to stand behind the text, where reading stops.
  static constexpr std::size_t padding = 64;

  /// The entries that a text of so many bytes has at most. An entry has a byte of its own, and
  /// another: the comma or colon before it, or, where it is the first in a list or object, the
  /// bracket that closes that; but for the root, and for what is not closed yet.
  static constexpr std::size_t most_entries(std::size_t bytes) noexcept {
    return (bytes + max_document_depth) / 2 + 2;
  }

  PlainReader(char* text, std::size_t bytes, DuplicateKey& duplicate_key)
      : text_(text), bytes_(bytes), duplicate_key_(duplicate_key) {}

  /// False where it gives up.
  [[nodiscard]] bool read(Entry* next) {
    Level levels[max_document_depth + 1];
    Level* level = levels;
    level->begin(next, '\0');
    const char* at = text_;
    while (true) {
      // An item, a member or the whole document begins here.
      if (level->end == '}') {
        if (!is_next(at, '"')) return false;
        const char* const key = at + 1;
        at = read_string(key, *next);
        if (at == nullptr) return false;
        if (level->keys.add(key, next->size()) && repeats(*level, next)) return false;
        ++next;
        if (!is_next(at, ':')) return false;
        ++at;
      }
      if (*at != '"') at = skip_space(at);
      if (*at == '"') {
        at = read_string(at + 1, *next);
      } else if (*at == '{' || *at == '[') {
        if (level == levels + max_document_depth) return false;
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
        if (*at == ',') {
          ++level->commas;
          ++at;
          break;
        }
        if (*at != level->end) {
          if (!is_space(*at)) return false;
          at = skip_space(at);
          continue;
        }
        if (level == levels) return at == text_ + bytes_ && level->commas == 0;
        if (!close(*level, next)) return false;
        --level;
        ++at;
      }
    }
  }

 private:
  /// A list or object that is being read, and what is around them all, which ends with a zero.
  struct Level {
    Entry* entry;
    std::size_t commas;
    NotedKeys keys;  ///< where it is an object
    char end;

    void begin(Entry* at, char ends_with) noexcept {
      entry = at;
      commas = 0;
      keys.clear();
      end = ends_with;
    }
  };

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

  /// Whether the last key of an object is there before; of one with many keys that is found in the
  /// end.
  [[nodiscard]] bool repeats(const Level& level, const Entry* key) const noexcept {
    if (level.commas >= DuplicateKey::few) return false;
    for (const Entry* other = level.entry + 1; other != key; other = (other + 1)->next())
      if (other->text(text_) == key->text(text_)) return true;
    return false;
  }

  [[nodiscard]] bool close(const Level& level, const Entry* next) {
    const auto inside = static_cast<std::size_t>(next - level.entry) - 1;
    *level.entry = Entry::container(kind_of(level.end), level.commas + 1, inside);
    return level.commas < DuplicateKey::few || level.end != '}' ||
           !duplicate_key_.is_in({text_, level.entry});
  }

  /// What reads a part returns what is behind it; null where it gives up.
  [[nodiscard]] const char* read_string(const char* begin, Entry& into) {
    const char* const end = end_of_plain(begin);
    if (*end != '"') return read_escaped(begin, end, into);
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(end - begin)};
    return end + 1;
  }

  /// A string whose first escape is at `at`. What it says is written over it.
  [[nodiscard]] const char* read_escaped(const char* begin, const char* at, Entry& into) {
    char* to = text_ + place(at);
    while (*at != '"') {
      if (*at != '\\') return nullptr;
      switch (at[1]) {
        case '"':
        case '\\':
        case '/': *to++ = at[1]; break;
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': {
          const int high = at[2] == '0' && at[3] == '0' ? hex(at[4]) : -1;
          const int low = high >= 0 && high < 8 ? hex(at[5]) : -1;
          if (low < 0) return nullptr;
          *to++ = static_cast<char>(high * 16 + low);
          at += 4;
          break;
        }
        default: return nullptr;
      }
      at += 2;
      const char* const end = end_of_plain(at);
      const auto plain = static_cast<std::size_t>(end - at);
      std::memmove(to, at, plain);
      to += plain;
      at = end;
    }
    into = {ElementKind::string, place(begin), static_cast<std::size_t>(to - begin)};
    return at + 1;
  }

  /// Below 0 where it is no digit, as all are that stand before the 0.
  [[nodiscard]] static int hex(char c) noexcept {
    if (c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  [[nodiscard]] const char* read_scalar(const char* at, Entry& into) const {
    switch (*at) {
      case 't': return read_word(at, "true", ElementKind::yes, into);
      case 'f': return read_word(at, "false", ElementKind::no, into);
      case 'n': return read_word(at, "null", ElementKind::null, into);
      default: return read_integer(at, into);
    }
  }

  [[nodiscard]] static const char* read_word(const char* at, std::string_view word,
                                             ElementKind kind, Entry& into) {
    if (std::memcmp(at, word.data(), word.size()) != 0) return nullptr;
    into = {kind, 0, 0};
    return at + word.size();
  }

  /// Whatever goes on behind the digits, a fraction too, is no end of a value for the caller.
  [[nodiscard]] const char* read_integer(const char* begin, Entry& into) const {
    constexpr std::ptrdiff_t most_digits = 18;  // which 64 bits hold
    const char* const digits = begin + (*begin == '-' ? 1 : 0);
    const char* at = digits;
    while (*at >= '0' && *at <= '9') ++at;
    if (at == digits || at - digits > most_digits) return nullptr;
    if (*digits == '0' && at - begin > 1) return nullptr;  // -0 is 0, 01 is nothing
    into = {ElementKind::integer, place(begin), static_cast<std::size_t>(at - begin)};
    return at;
  }

  char* text_;
  std::size_t bytes_;
  DuplicateKey& duplicate_key_;
};

}  // namespace schedpol::json::detail
