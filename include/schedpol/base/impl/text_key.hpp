// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An injective encoding of several texts as one.

#include <schedpol/version.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace SCHEDPOL_NAMESPACE::detail {

/// Of each text the size and the text, `3:abc`; of one that is missing `-`.
class TextKey {
 public:
  TextKey& add(std::string_view text) {
    text_.append(std::to_string(text.size())).append(1, ':').append(text);
    return *this;
  }
  void add_missing() { text_ += '-'; }

  [[nodiscard]] const std::string& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }

  /// Takes the first of them off what is left of `text()`, which is not empty.
  [[nodiscard]] static std::optional<std::string_view> next(std::string_view& left) noexcept {
    const char first = left.front();
    left.remove_prefix(1);
    if (first == '-') return std::nullopt;
    std::size_t size = static_cast<std::size_t>(first - '0');
    for (; left.front() != ':'; left.remove_prefix(1))
      size = size * 10 + static_cast<std::size_t>(left.front() - '0');
    const std::string_view text = left.substr(1, size);
    left.remove_prefix(1 + size);
    return text;
  }

 private:
  std::string text_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
