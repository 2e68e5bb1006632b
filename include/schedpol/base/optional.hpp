// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The result of a function that may find nothing, and labels that may be absent.

#include <schedpol/base/end_program.hpp>

#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE {

/// A `std::optional` that is safe to read. Reading a missing value says why and ends the program
/// (`std::abort`). A temporary returns no reference or pointer to its value. To set optional labels, use the
/// same braces as for labels.
template <class T>
class Optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;
  Optional(std::optional<T> from) noexcept : std::optional<T>(std::move(from)) {}  // NOLINT
  template <class Map = T>
  Optional(std::initializer_list<typename Map::Entry> entries)
      : std::optional<T>(std::in_place, entries) {}

  [[nodiscard]] const T& operator*() const& noexcept { return *checked(*this); }
  [[nodiscard]] T& operator*() & noexcept { return *checked(*this); }
  [[nodiscard]] T operator*() && noexcept { return *std::move(checked(*this)); }
  [[nodiscard]] const T* operator->() const& noexcept { return &**this; }
  [[nodiscard]] T* operator->() & noexcept { return &**this; }
  T* operator->() && = delete;
  const T* operator->() const&& = delete;

  // std::optional's own comparisons would compare one Optional with the value inside the other:
  // two empty ones would not be equal.
  [[nodiscard]] friend bool operator==(const Optional& left, const Optional& right) {
    return left == static_cast<const std::optional<T>&>(right);
  }
  [[nodiscard]] friend bool operator==(const Optional& left, const std::optional<T>& right) {
    return static_cast<const std::optional<T>&>(left) == right;
  }
  [[nodiscard]] friend bool operator==(const Optional& left, const auto& value) {
    return static_cast<const std::optional<T>&>(left) == value;
  }

 private:
  template <class Self>
  static auto& checked(Self& self) noexcept {
    if (!self.has_value()) end_program("the value of an Optional that has none was asked for");
    if constexpr (std::is_const_v<Self>) {
      return static_cast<const std::optional<T>&>(self);
    } else {
      return static_cast<std::optional<T>&>(self);
    }
  }
};

}  // namespace SCHEDPOL_NAMESPACE
