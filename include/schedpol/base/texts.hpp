// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Lists of texts as their authors write them: keys, values, names. `{"a", "b"}` lists two; one
/// pair of braces more does not compile, where a vector of strings would read `{{"a", "b"}}` as two
/// pointers into one text.

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

/// One text in braces. Made of anything that reads as a text, of nothing else, and never of braces.
struct Text {
  /// Of a literal, a string or a view of one.
  template <std::convertible_to<std::string_view> T>
  Text(const T& from) : value(view_of(from)) {}  // NOLINT(google-explicit-constructor)

  std::string_view value;  ///< as long as what it was made of

 private:
  /// A null pointer, as `std::getenv` returns one, is no text: the program ends (`std::abort`), and says why.
  template <class T>
  static std::string_view view_of(const T& from) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      if (from == nullptr) end_program("a null pointer is no text");
    }
    return from;
  }
};

/// A list of texts; absent and empty are one.
class Texts {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Texts() = default;
  Texts(std::initializer_list<Text> texts) {  ///< in their order
    texts_.reserve(texts.size());
    for (const Text& text : texts) texts_.emplace_back(text.value);
  }
  Texts(std::initializer_list<std::initializer_list<Text>>) = delete;  // a pair of braces too many
  Texts(const Texts&) = default;
  Texts(Texts&&) noexcept = default;
  Texts& operator=(const Texts&) = default;
  template <std::same_as<Texts> Other>  // so that `= {}` is the other one
  Texts& operator=(Other&& other) noexcept {
    texts_ = std::move(other.texts_);
    return *this;
  }
  ~Texts() = default;

  /// Of a vector as such; braces never make one on the way here.
  template <std::same_as<std::vector<std::string>> Vector>
  explicit Texts(Vector texts) noexcept : texts_(std::move(texts)) {}

  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return texts_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return texts_.end(); }

  /// Only where `index` is less than the size.
  [[nodiscard]] const std::string& operator[](std::size_t index) const noexcept {
    return texts_[index];
  }
  [[nodiscard]] std::string& operator[](std::size_t index) noexcept { return texts_[index]; }

  /// Only where there is one.
  [[nodiscard]] const std::string& front() const noexcept { return texts_.front(); }

  /// Looks at each.
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    for (const std::string& listed : texts_)
      if (listed == text) return true;
    return false;
  }

  void push_back(std::string text) { texts_.push_back(std::move(text)); }  ///< at the end

  /// The texts as a vector, to be changed as one.
  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string>& vector() & noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string> vector() && noexcept { return std::move(texts_); }

  friend bool operator==(const Texts&, const Texts&) = default;

 private:
  std::vector<std::string> texts_;
};

}  // namespace SCHEDPOL_NAMESPACE
