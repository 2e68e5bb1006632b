// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Text that is written piece by piece, and the strings of JSON in it: what everything that is
/// encoded goes through. A piece costs one look at the room there is.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::json::detail {

/// A text that grows at its end. It begins in the writer itself, so that most texts take no memory
/// but what they are taken as.
class Writer {
 public:
  Writer() noexcept {}  // NOLINT(modernize-use-equals-default): nothing fills `first_`
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator+=(std::string_view piece) {
    if (room() < piece.size()) make_room(piece.size());
    piece.copy(at_, piece.size());
    at_ += piece.size();
    return *this;
  }
  Writer& operator+=(char c) {
    if (room() == 0) make_room(1);
    *at_++ = c;
    return *this;
  }

  /// Writes what is closed later: there is room for that from now on.
  void open(char c) {
    if (room() < 2) make_room(2);
    *at_++ = c;
    --end_;
    ++open_;
  }
  void close(char c) noexcept {
    ++end_;
    --open_;
    *at_++ = c;
  }

  /// Makes the text longer by this many bytes, which are the caller's to fill.
  char* extend(std::size_t bytes) {
    if (room() < bytes) make_room(bytes);
    char* const begin = at_;
    at_ += bytes;
    return begin;
  }

  /// Valid until more is written.
  [[nodiscard]] std::string_view text() const noexcept { return {begin_, size()}; }
  [[nodiscard]] bool empty() const noexcept { return at_ == begin_; }
  [[nodiscard]] bool ends_with(char c) const noexcept { return text().ends_with(c); }

  [[nodiscard]] std::string take() && {
    if (begin_ == first_) return std::string(text());
    rest_.resize(size());
    return std::move(rest_);
  }

 private:
  /// Bytes beyond the text that are made at once. A string fills what it gets, so that they are
  /// few.
  static constexpr std::size_t step = 512;

  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] std::size_t room() const noexcept { return static_cast<std::size_t>(end_ - at_); }

  void make_room(std::size_t bytes) {
    const std::size_t written = size();
    if (begin_ == first_) {
      rest_.reserve(2 * sizeof first_);
      rest_.assign(first_, written);
    }
    rest_.resize(std::max(written + bytes + open_, std::min(written + step, rest_.capacity())));
    begin_ = rest_.data();
    at_ = begin_ + written;
    end_ = begin_ + (rest_.size() - open_);
  }

  char first_[4096];  ///< where the text is as long as it fits
  std::string rest_;  ///< where it is else, and room after it
  char* begin_ = first_;
  char* at_ = first_;                   ///< where the text ends
  char* end_ = first_ + sizeof first_;  ///< where the room ends, but for what closes
  std::size_t open_ = 0;                ///< what has to be closed, each with a byte
};

/// How many bytes of a JSON string stand for themselves, up to the first that has to be escaped:
/// a control character, `"` or a backslash. Looks at eight bytes at a time.
inline std::size_t plain_bytes(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  // A byte less a bound has its high bit set where it was below the bound, or had it set before:
  // true of the first such byte at least, from which others borrow.
  const auto has_special = [&](std::size_t at) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, 8);
    const std::uint64_t below =
        (eight - ones * 0x20) | ((eight ^ ones * '"') - ones) | ((eight ^ ones * '\\') - ones);
    return (below & ~eight & ones * 0x80) != 0;
  };
  const std::size_t size = text.size();
  std::size_t i = 0;
  while (i + 8 <= size && !has_special(i)) i += 8;
  if (i + 8 > size && size >= 8 && !has_special(size - 8)) return size;
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  };
  while (i < size && is_plain(text[i])) ++i;
  return i;
}

inline void write_escape(Writer& out, char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default: ((out += "\\u00") += hex[byte >> 4U]) += hex[byte & 0xFU];
  }
}

/// Writes a part of a string: what stands between the quotes.
inline void write_unquoted(Writer& out, std::string_view text) {
  while (true) {
    const std::size_t plain = plain_bytes(text);
    out += text.substr(0, plain);
    if (plain == text.size()) return;
    write_escape(out, text[plain]);
    text.remove_prefix(plain + 1);
  }
}

inline void write(Writer& out, std::string_view text) {
  if (plain_bytes(text) == text.size()) {
    char* const at = out.extend(text.size() + 2);
    at[0] = '"';
    text.copy(at + 1, text.size());
    at[text.size() + 1] = '"';
    return;
  }
  out += '"';
  write_unquoted(out, text);
  out += '"';
}

}  // namespace schedpol::json::detail
