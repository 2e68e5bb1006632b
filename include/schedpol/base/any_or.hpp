// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A policy field that distinguishes absent, any and listed:
/// 1. `{}` is absent: the policy says nothing, so nothing is permitted and nothing is required;
/// 2. `any` is everything. No other spelling means everything;
/// 3. `{...}` lists. An empty list permits nothing: it never turns into `any`.
/// A misplaced brace never turns one of the three into another.

#include <schedpol/base/text_map.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The type of `any`. Braces cannot construct one.
class Any {
 public:
  /// A constructor argument that braces alone cannot supply; use `any`.
  enum class Spelled { out };
  constexpr explicit Any(Spelled) noexcept {}
};
inline constexpr Any any{Any::Spelled::out};  ///< everything

/// @cond What the braces of a list may hold: its items, or for a list of texts anything that
/// converts to a text. A structure has no items.
template <class T>
struct ListItem {
  class type {
    type() = delete;
  };
};
template <class T>
  requires requires { typename T::value_type; }
struct ListItem<T> {
  using type = typename T::value_type;
};
template <>
struct ListItem<Texts> {
  using type = Text;
};
template <class Value>
struct ListItem<TextMap<Value>> {
  using type = TextMapEntry<Value>;
};
/// @endcond

/// Absent, any, or a `T`: a list, a map or a structure. After a move, an absent value is still absent.
/// Any other lists nothing, so it permits nothing.
template <class T>
class AnyOr {
 public:
  AnyOr() = default;

  /// Any, or what is listed.
  AnyOr(Any) noexcept : state_(State::everything) {}
  AnyOr(T listed) : state_(State::listed), listed_(std::move(listed)) {}
  AnyOr(std::initializer_list<typename ListItem<T>::type> items)
    requires requires { typename T::value_type; }
      : state_(State::listed), listed_(items) {}
  AnyOr(std::initializer_list<std::initializer_list<typename ListItem<T>::type>>)
    requires std::same_as<T, Texts> || requires { typename T::mapped_type; }
  = delete;  // too many braces

  AnyOr(const AnyOr&) = default;
  AnyOr(AnyOr&& other) noexcept : state_(other.state_), listed_(std::move(other.listed_)) {
    if (other.is_any()) other.state_ = State::listed;
  }
  AnyOr& operator=(const AnyOr& other) { return *this = AnyOr(other); }
  template <std::same_as<AnyOr> Other>  // a template, so that `= {}` picks the copy: absent
  AnyOr& operator=(Other&& other) noexcept {
    state_ = other.state_;
    listed_ = std::move(other.listed_);
    if (other.is_any()) other.state_ = State::listed;
    return *this;
  }
  ~AnyOr() = default;

  /// Which of the three this is.
  [[nodiscard]] bool is_absent() const noexcept { return state_ == State::absent; }
  [[nodiscard]] bool is_any() const noexcept { return state_ == State::everything; }
  [[nodiscard]] bool is_listed() const noexcept { return state_ == State::listed; }

  /// What is listed; empty if this is absent or any.
  [[nodiscard]] const T& listed() const& noexcept { return listed_; }
  [[nodiscard]] T listed() && noexcept { return std::move(listed_); }

  /// The list, for changing. From now on this is listed; if it was any, the list starts empty.
  [[nodiscard]] T& list() & noexcept {
    state_ = State::listed;
    return listed_;
  }

  friend bool operator==(const AnyOr&, const AnyOr&) = default;

 private:
  enum class State : unsigned char { absent, everything, listed };

  State state_ = State::absent;
  T listed_{};  ///< empty unless listed
};

}  // namespace SCHEDPOL_NAMESPACE
