// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <limits>

namespace SCHEDPOL_NAMESPACE {

/// DecimalSuffix arithmetic on the digits of quantities.
struct Quantity::Arithmetic {
  static constexpr std::int64_t smallest_exponent = -9;

  static std::string_view take_digits(std::string_view& text) noexcept {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  }

  /// Applies the suffix and brings the value into its one form. Returns the power of ten or 1024,
  /// nothing for an unknown suffix.
  static std::optional<int> scale(Quantity& quantity, std::string_view suffix) {
    struct Suffix {
      std::string_view name;
      int base;
      int power;
    };
    constexpr Suffix suffixes[] = {
        {"n", 10, -9},   {"u", 10, -6},   {"m", 10, -3},   {"", 10, 0},
        {"k", 10, 3},    {"M", 10, 6},    {"G", 10, 9},    {"T", 10, 12},
        {"P", 10, 15},   {"E", 10, 18},   {"Ki", 1024, 1}, {"Mi", 1024, 2},
        {"Gi", 1024, 3}, {"Ti", 1024, 4}, {"Pi", 1024, 5}, {"Ei", 1024, 6}};
    for (const auto& [name, base, power] : suffixes)
      if (suffix == name)
        return base == 10 ? scale_by_ten(quantity, power) : scale_by_1024(quantity, power);
    if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
    const std::optional<std::int64_t> power = detail::signed_int64(suffix.substr(1));
    if (!power || *power < -max_quantity_power || *power > max_quantity_power) return std::nullopt;
    return scale_by_ten(quantity, static_cast<int>(*power));
  }

  static int scale_by_ten(Quantity& quantity, int power) {
    quantity.exponent_ += power;
    normalise(quantity);
    return power;
  }

  static int scale_by_1024(Quantity& quantity, int power) {
    for (int i = 0; i < power; ++i) multiply(quantity.digits_, 1024);
    normalise(quantity);
    Quantity largest;
    largest.digits_ = "9223372036854775807";
    if (compare_magnitude(quantity, largest) > 0) {
      quantity.digits_ = largest.digits_;
      quantity.exponent_ = largest.exponent_;
    }
    return power;
  }

  static void multiply(std::string& digits, unsigned factor) {
    unsigned carry = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
      const unsigned product = static_cast<unsigned>(digits[i] - '0') * factor + carry;
      digits[i] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits.insert(0, std::to_string(carry));
  }

  /// No zeros at either end, nothing below a billionth, and zero without sign or digits.
  static void normalise(Quantity& quantity) {
    std::string& digits = quantity.digits_;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (quantity.exponent_ < smallest_exponent) {
      const auto excess = static_cast<std::uint64_t>(smallest_exponent - quantity.exponent_);
      const std::size_t kept =
          excess < digits.size() ? digits.size() - static_cast<std::size_t>(excess) : 0;
      const bool round_up = digits.find_first_not_of('0', kept) != std::string::npos;
      digits.resize(kept);
      quantity.exponent_ = smallest_exponent;
      Quantity unit;
      unit.digits_ = "1";
      unit.exponent_ = smallest_exponent;
      if (round_up) add_magnitude(quantity, unit, 1);
    }
    while (digits.ends_with('0')) {
      digits.pop_back();
      ++quantity.exponent_;
    }
    if (digits.empty()) {
      quantity.negative_ = false;
      quantity.exponent_ = 0;
    }
  }

  /// Adds the digits of a number, or takes away those of one that is not larger.
  static void add_magnitude(Quantity& sum, const Quantity& smaller, int direction) {
    const std::int64_t exponent = std::min(sum.exponent_, smaller.exponent_);
    std::string addend = smaller.digits_;
    addend.append(static_cast<std::size_t>(smaller.exponent_ - exponent), '0');
    sum.digits_.append(static_cast<std::size_t>(sum.exponent_ - exponent), '0');
    sum.exponent_ = exponent;
    const std::size_t size = std::max(addend.size(), sum.digits_.size());
    addend.insert(0, size - addend.size(), '0');
    sum.digits_.insert(0, size - sum.digits_.size(), '0');
    int carry = 0;
    for (std::size_t i = addend.size(); i-- > 0;) {
      const int total = (sum.digits_[i] - '0') + direction * (addend[i] - '0') + carry;
      carry = total < 0 ? -1 : total / 10;
      sum.digits_[i] = static_cast<char>('0' + (total + 10) % 10);
    }
    if (carry > 0) sum.digits_.insert(0, 1, '1');
  }

  /// Makes the text of what was computed.
  static void write(Quantity& quantity) {
    quantity.text_ = (quantity.negative_ ? "-" : "") +
                     (quantity.is_zero() ? "0" : quantity.digits_) + "e" +
                     std::to_string(quantity.exponent_);
  }

  static std::strong_ordering compare_magnitude(const Quantity& a, const Quantity& b) noexcept {
    if (a.digits_.empty() || b.digits_.empty()) return !a.digits_.empty() <=> !b.digits_.empty();
    const std::int64_t a_size = static_cast<std::int64_t>(a.digits_.size()) + a.exponent_;
    const std::int64_t b_size = static_cast<std::int64_t>(b.digits_.size()) + b.exponent_;
    if (a_size != b_size) return a_size <=> b_size;
    // Without trailing zeros, a longer run of equal digits is the larger number.
    return a.digits_ <=> b.digits_;
  }
};

SCHEDPOL_INLINE Optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty() || text.size() > max_quantity_bytes) return std::nullopt;
  std::string_view rest = text;
  Quantity quantity;
  quantity.text_ = text;
  if (rest.front() == '+' || rest.front() == '-') {
    quantity.negative_ = rest.front() == '-';
    rest.remove_prefix(1);
  }
  quantity.digits_ = Arithmetic::take_digits(rest);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string_view fraction = Arithmetic::take_digits(rest);
    quantity.digits_ += fraction;
    quantity.exponent_ -= static_cast<std::int64_t>(fraction.size());
  }
  const bool without_digits = quantity.digits_.empty();
  const std::optional<int> power = Arithmetic::scale(quantity, rest);
  if (!power) return std::nullopt;
  const bool needs_digits = *power < Arithmetic::smallest_exponent || rest == "Pi" || rest == "Ei";
  if (without_digits && needs_digits) return std::nullopt;
  return quantity;
}

SCHEDPOL_INLINE Quantity Quantity::operator+(const Quantity& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const bool is_larger = Arithmetic::compare_magnitude(*this, other) >= 0;
  Quantity sum = is_larger ? *this : other;
  const Quantity& smaller = is_larger ? other : *this;
  Arithmetic::add_magnitude(sum, smaller, negative_ == other.negative_ ? 1 : -1);
  Arithmetic::normalise(sum);
  Arithmetic::write(sum);
  return sum;
}

SCHEDPOL_INLINE Quantity Quantity::operator-(const Quantity& other) const {
  if (other.is_zero()) return *this;
  Quantity negated = other;
  negated.negative_ = !other.negative_;
  Arithmetic::write(negated);
  return *this + negated;
}

SCHEDPOL_INLINE std::int64_t Quantity::scaled(std::int64_t power) const noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr auto most = static_cast<std::uint64_t>(Limits::max());
  const std::int64_t exponent = exponent_ + power;
  const auto size = static_cast<std::int64_t>(digits_.size());
  const std::int64_t places = size + exponent;  // before the point
  const std::int64_t nearest = negative_ ? Limits::min() : Limits::max();
  if (places > Limits::digits10 + 1) return nearest;
  std::uint64_t magnitude = 0;
  for (std::int64_t i = 0; i < places; ++i) {
    const char digit = i < size ? digits_[static_cast<std::size_t>(i)] : '0';
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (exponent < 0) ++magnitude;  // what is behind the point is not zero
  if (magnitude > most) return nearest;
  return negative_ ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

SCHEDPOL_INLINE bool Quantity::operator==(const Quantity& other) const noexcept {
  return (*this <=> other) == 0;
}

SCHEDPOL_INLINE std::strong_ordering Quantity::operator<=>(const Quantity& other) const noexcept {
  if (negative_ != other.negative_) return other.negative_ <=> negative_;
  return negative_ ? Arithmetic::compare_magnitude(other, *this)
                   : Arithmetic::compare_magnitude(*this, other);
}

}  // namespace SCHEDPOL_NAMESPACE
