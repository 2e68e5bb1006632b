// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes text piece by piece, including JSON strings. All encoding goes through it. Each piece costs
/// one check of the space that is left.

#include <schedpol/json/impl/strings.hpp>

#include <algorithm>
#include <utility>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// A text that grows at its end. It begins in the writer itself, so that most texts take no memory
/// but what they are taken as.
class Writer {
 public:
  Writer() noexcept {}  // NOLINT(modernize-use-equals-default): nothing fills `first_`
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Writer& operator+=(std::string_view piece) {
    if (room() < piece.size()) make_room(piece.size());
    std::char_traits<char>::copy(at_, piece.data(), piece.size());
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

  /// Takes off the end what is beyond this many bytes.
  void shorten(std::size_t size) noexcept { at_ = begin_ + size; }

  /// Valid until more is written.
  [[nodiscard]] std::string_view text() const noexcept { return {begin_, size()}; }

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

/// Whether a byte of a JSON string stands for itself: all but control characters, `"` and the
/// backslash.
inline bool is_plain(char c) noexcept {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
}

/// How many bytes of a text are plain, up to the first that is not.
inline std::size_t plain_bytes(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) -
                                  text.begin());
}

/// Copies a text that is plain, and of ASCII where it is longer than a few bytes; else false, and
/// what was copied is of no use. The last of its blocks may overlap with the one before.
inline bool copy_plain(char* to, std::string_view text) noexcept {
  if (text.size() < block_bytes) {
    for (const char c : text) {
      if (!is_plain(c)) return false;
      *to++ = c;
    }
    return true;
  }
  const auto copies = [&](std::size_t at) {
    if (ends_in_block(text.data() + at) != 0) return false;
    std::memcpy(to + at, text.data() + at, block_bytes);
    return true;
  };
  const std::size_t last = text.size() - block_bytes;
  for (std::size_t i = 0; i < last; i += block_bytes)
    if (!copies(i)) return false;
  return copies(last);
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

inline void write(Writer& out, std::string_view text) {
  const std::size_t before = out.text().size();
  char* const at = out.extend(text.size() + 2);
  at[0] = '"';
  at[text.size() + 1] = '"';
  if (copy_plain(at + 1, text)) return;
  out.shorten(before);
  out += '"';
  for (std::size_t plain = 0; (plain = plain_bytes(text)) < text.size();
       text.remove_prefix(plain + 1)) {
    out += text.substr(0, plain);
    write_escape(out, text[plain]);
  }
  out += text;
  out += '"';
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
