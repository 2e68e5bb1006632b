// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy says where absent, any and listed mean different things:
/// 1. `{}` is absent: nothing was said, so nothing is permitted and nothing asked for;
/// 2. `any` is everything, and is the only spelling of it;
/// 3. `{...}` lists. A list of nothing permits nothing: it never turns into `any`.
/// A misplaced brace never turns one of the three into another.

#include <schedpol/base/text_map.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Says `any`. Braces do not make one.
class Any {
 public:
  /// Has to be spelled out, as `any` does.
  enum class Spelled { out };
  constexpr explicit Any(Spelled) noexcept {}
};
inline constexpr Any any{Any::Spelled::out};  ///< everything

/// @cond What stands between the braces of a list: its items, or for a list of texts anything that
/// reads as a text. A structure has no items.
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

/// Absent, any, or a `T`: a list, a map or a structure. What was moved from lists nothing if it was not
/// absent, so that it permits nothing.
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
  = delete;  // a pair of braces too many

  AnyOr(const AnyOr&) = default;
  AnyOr(AnyOr&& other) noexcept : state_(other.state_), listed_(std::move(other.listed_)) {
    if (other.is_any()) other.state_ = State::listed;
  }
  AnyOr& operator=(const AnyOr& other) { return *this = AnyOr(other); }
  template <std::same_as<AnyOr> Other>  // so that `= {}` is the other one: absent
  AnyOr& operator=(Other&& other) noexcept {
    state_ = other.state_;
    listed_ = std::move(other.listed_);
    if (other.is_any()) other.state_ = State::listed;
    return *this;
  }
  ~AnyOr() = default;

  /// Which of the three it is.
  [[nodiscard]] bool is_absent() const noexcept { return state_ == State::absent; }
  [[nodiscard]] bool is_any() const noexcept { return state_ == State::everything; }
  [[nodiscard]] bool is_listed() const noexcept { return state_ == State::listed; }

  /// What is listed; nothing where it is absent or any.
  [[nodiscard]] const T& listed() const& noexcept { return listed_; }
  [[nodiscard]] T listed() && noexcept { return std::move(listed_); }

  /// The same to be changed, listed from now on; what was any before lists nothing.
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
