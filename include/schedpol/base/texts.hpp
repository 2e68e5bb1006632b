// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Lists of texts (keys, values, names), written as in YAML. `{"a", "b"}` lists two. An extra pair
/// of braces does not compile; a vector of strings would read `{{"a", "b"}}` as two pointers into
/// one text.

#include <schedpol/base/end_program.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

/// One text in braces. Only what converts to `std::string_view` makes one; braces never do.
struct Text {
  /// A literal, a string or a string view.
  template <std::convertible_to<std::string_view> T>
  Text(const T& from) : value(view_of(from)) {}  // NOLINT(google-explicit-constructor)

  std::string_view value;  ///< valid as long as its source

 private:
  /// A null pointer (`std::getenv` may return one) is not a text: the program says why and ends (`std::abort`).
  template <class T>
  static std::string_view view_of(const T& from) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      if (from == nullptr) end_program("a null pointer is no text");
    }
    return from;
  }
};

/// A list of texts. Absent and empty mean the same.
class Texts {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Texts() = default;
  Texts(std::initializer_list<Text> texts) {  ///< keeps their order
    texts_.reserve(texts.size());
    for (const Text& text : texts) texts_.emplace_back(text.value);
  }
  Texts(std::initializer_list<std::initializer_list<Text>>) = delete;  // too many braces
  Texts(const Texts&) = default;
  Texts(Texts&&) noexcept = default;
  Texts& operator=(const Texts&) = default;
  template <std::same_as<Texts> Other>  // a template, so that `= {}` picks the copy
  Texts& operator=(Other&& other) noexcept {
    texts_ = std::move(other.texts_);
    return *this;
  }
  ~Texts() = default;

  /// The texts in a vector. Braces never convert to this vector.
  template <std::same_as<std::vector<std::string>> Vector>
  explicit Texts(Vector texts) noexcept : texts_(std::move(texts)) {}

  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return texts_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return texts_.end(); }

  /// `index` must be less than the size.
  [[nodiscard]] const std::string& operator[](std::size_t index) const noexcept {
    return texts_[index];
  }
  [[nodiscard]] std::string& operator[](std::size_t index) noexcept { return texts_[index]; }

  /// The list must not be empty.
  [[nodiscard]] const std::string& front() const noexcept { return texts_.front(); }

  /// Linear in the number of texts.
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    for (const std::string& listed : texts_)
      if (listed == text) return true;
    return false;
  }

  void push_back(std::string text) { texts_.push_back(std::move(text)); }  ///< at the end

  /// The texts as a vector, which you may change.
  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string>& vector() & noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string> vector() && noexcept { return std::move(texts_); }

  friend bool operator==(const Texts&, const Texts&) = default;

 private:
  std::vector<std::string> texts_;
};

}  // namespace SCHEDPOL_NAMESPACE
