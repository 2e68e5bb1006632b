// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a good document, piece by piece: what is between its pieces, which elements do not have.

#include <schedpol/json/impl/strings.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Goes through the text of a good document.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) noexcept : rest_(text) { take_gap(); }

  /// White space, with the comma or colon in it.
  std::string_view take_gap() noexcept {
    std::size_t size = 0;
    while (size < rest_.size() && is_gap(rest_[size])) ++size;
    return take(size);
  }

  /// All of a value.
  std::string_view take_value() noexcept {
    const std::string_view begin = rest_;
    for (std::size_t levels = 0;;) {
      const char first = take_piece().front();
      if (first == '{' || first == '[') ++levels;
      if (first == '}' || first == ']') --levels;
      if (levels == 0) return begin.substr(0, begin.size() - rest_.size());
      take_gap();
    }
  }

  /// A bracket, or all of a string, a number or a word.
  std::string_view take_piece() noexcept {
    std::size_t size = 1;
    if (rest_.front() == '"') {
      while (rest_[size] != '"') size += rest_[size] == '\\' ? 2 : 1;
      ++size;
    } else if (!is_bracket(rest_.front())) {
      while (size < rest_.size() && !is_gap(rest_[size]) && !is_bracket(rest_[size])) ++size;
    }
    return take(size);
  }

  /// Whether a list or object ends here.
  [[nodiscard]] bool is_at_end() const noexcept {
    return rest_.front() == ']' || rest_.front() == '}';
  }

  /// What is left of it.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  [[nodiscard]] static bool is_gap(char c) noexcept {
    return c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
  }
  [[nodiscard]] static bool is_bracket(char c) noexcept {
    return c == '{' || c == '}' || c == '[' || c == ']';
  }

  std::string_view take(std::size_t size) noexcept {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

/// Whether a key, which is written like this, says that.
[[nodiscard]] inline bool is_key(std::string_view written, std::string_view wanted) {
  written = written.substr(1, written.size() - 2);
  return written.find('\\') == std::string_view::npos ? written == wanted
                                                      : unescaped(written) == wanted;
}

/// The text of a member of an object with this text; `null` where it has none of that name.
[[nodiscard]] inline std::string_view member_text(std::string_view object, std::string_view name) {
  TextCursor cursor(object);
  cursor.take_piece();
  for (cursor.take_gap(); !cursor.is_at_end(); cursor.take_gap()) {
    const std::string_view key = cursor.take_piece();
    cursor.take_gap();
    const std::string_view value = cursor.take_value();
    if (is_key(key, name)) return value;
  }
  return "null";
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
