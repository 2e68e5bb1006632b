// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar, compared exactly.
///
///     quantity = [+-] number suffix        number = digits with at most one dot, either side may
///     be empty suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes a value is rounded away from zero to a multiple of a billionth, and one with a
/// binary suffix is at most 2^63-1; a number without any digit is zero (`Gi`), though not before
/// Pi, Ei or a power below 10^-9.

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace schedpol {

/// Bytes of the longest text that is read as a quantity; a longer one is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, either way; what lies beyond is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

/// A number with the text it was written in. Default-constructed it is `0`. Two quantities are
/// equal when their values are: `1`, `1000m` and `1e0` are one.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity, or nothing where the text is none: empty, too long, an unknown suffix, white
  /// space, a power of ten out of bounds.
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text) {
    if (text.empty() || text.size() > max_quantity_bytes) return std::nullopt;
    std::string_view rest = text;
    Quantity quantity;
    quantity.text_ = text;
    if (rest.front() == '+' || rest.front() == '-') {
      quantity.negative_ = rest.front() == '-';
      rest.remove_prefix(1);
    }
    quantity.digits_ = take_digits(rest);
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      const std::string_view fraction = take_digits(rest);
      quantity.digits_ += fraction;
      quantity.exponent_ -= static_cast<std::int64_t>(fraction.size());
    }
    const bool without_digits = quantity.digits_.empty();
    const std::optional<int> power = quantity.scale(rest);
    if (!power ||
        (without_digits && (*power < smallest_exponent || rest == "Pi" || rest == "Ei"))) {
      return std::nullopt;
    }
    return quantity;
  }

  /// The text it was read from.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// The exact sum, with the text of its plain digits and a power of ten.
  [[nodiscard]] friend Quantity operator+(const Quantity& a, const Quantity& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    const bool a_larger = compare_magnitude(a, b) >= 0;
    Quantity sum = a_larger ? a : b;
    const Quantity& smaller = a_larger ? b : a;
    sum.add_magnitude(smaller, a.negative_ == b.negative_ ? 1 : -1);
    sum.normalise();
    sum.text_ = (sum.negative_ ? "-" : "") + (sum.is_zero() ? "0" : sum.digits_) + "e" +
                std::to_string(sum.exponent_);
    return sum;
  }

  friend bool operator==(const Quantity& a, const Quantity& b) noexcept { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept {
    if (a.sign() != b.sign()) return a.sign() <=> b.sign();
    return a.negative_ ? compare_magnitude(b, a) : compare_magnitude(a, b);
  }

 private:
  static std::string_view take_digits(std::string_view& text) noexcept {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  }

  /// Applies the suffix and brings the value into its one form. Returns the power of ten or 1024,
  /// nothing for an unknown suffix.
  std::optional<int> scale(std::string_view suffix) {
    struct Decimal {
      std::string_view name;
      int power;
    };
    constexpr std::array<Decimal, 10> decimal = {{{"n", -9},
                                                  {"u", -6},
                                                  {"m", -3},
                                                  {"", 0},
                                                  {"k", 3},
                                                  {"M", 6},
                                                  {"G", 9},
                                                  {"T", 12},
                                                  {"P", 15},
                                                  {"E", 18}}};
    constexpr std::array<std::string_view, 6> binary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    for (const auto& [name, power] : decimal) {
      if (suffix == name) return scale_by_ten(power);
    }
    if (const auto found = std::find(binary.begin(), binary.end(), suffix); found != binary.end()) {
      for (auto power = binary.begin(); power <= found; ++power) multiply(1024);
      normalise();
      cap();
      return static_cast<int>(found - binary.begin()) + 1;
    }
    if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
    suffix.remove_prefix(1);
    if (suffix.starts_with('+') && !suffix.starts_with("+-")) suffix.remove_prefix(1);
    std::int32_t power = 0;
    const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), power);
    if (error != std::errc() || end != suffix.data() + suffix.size()) return std::nullopt;
    if (power < -max_quantity_power || power > max_quantity_power) return std::nullopt;
    return scale_by_ten(power);
  }

  std::optional<int> scale_by_ten(int power) {
    exponent_ += power;
    normalise();
    return power;
  }

  void multiply(unsigned factor) {
    unsigned carry = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      const unsigned product = static_cast<unsigned>(digits_[i] - '0') * factor + carry;
      digits_[i] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits_.insert(0, std::to_string(carry));
  }

  /// No zeros at either end, nothing below a billionth, and zero without sign or digits.
  void normalise() {
    digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
    if (!digits_.empty() && exponent_ < smallest_exponent) {
      const auto excess = static_cast<std::uint64_t>(smallest_exponent - exponent_);
      const std::size_t kept =
          excess < digits_.size() ? digits_.size() - static_cast<std::size_t>(excess) : 0;
      const bool round_up = digits_.find_first_not_of('0', kept) != std::string::npos;
      digits_.resize(kept);
      exponent_ = smallest_exponent;
      if (round_up) increment();
    }
    while (digits_.ends_with('0')) {
      digits_.pop_back();
      ++exponent_;
    }
    if (digits_.empty()) {
      negative_ = false;
      exponent_ = 0;
    }
  }

  /// Adds the digits of a number that is not larger, or takes them away.
  void add_magnitude(const Quantity& other, int direction) {
    const std::int64_t exponent = std::min(exponent_, other.exponent_);
    std::string addend = other.digits_;
    digits_.append(static_cast<std::size_t>(exponent_ - exponent), '0');
    addend.append(static_cast<std::size_t>(other.exponent_ - exponent), '0');
    exponent_ = exponent;
    int carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      char& digit = digits_[digits_.size() - 1 - i];
      const int added = i < addend.size() ? addend[addend.size() - 1 - i] - '0' : 0;
      const int total = (digit - '0') + direction * added + carry;
      carry = total < 0 ? -1 : total / 10;
      digit = static_cast<char>('0' + (total + 10) % 10);
    }
    if (carry > 0) digits_.insert(0, 1, '1');
  }

  void increment() {
    std::size_t i = digits_.size();
    while (i > 0 && digits_[i - 1] == '9') digits_[--i] = '0';
    if (i > 0) {
      ++digits_[i - 1];
    } else {
      digits_.insert(0, 1, '1');
    }
  }

  void cap() {
    Quantity largest;
    largest.digits_ = "9223372036854775807";
    if (compare_magnitude(*this, largest) <= 0) return;
    digits_ = largest.digits_;
    exponent_ = largest.exponent_;
  }

  [[nodiscard]] int sign() const noexcept { return digits_.empty() ? 0 : negative_ ? -1 : 1; }

  static std::strong_ordering compare_magnitude(const Quantity& a, const Quantity& b) noexcept {
    if (a.digits_.empty() || b.digits_.empty()) return !a.digits_.empty() <=> !b.digits_.empty();
    const std::int64_t a_size = static_cast<std::int64_t>(a.digits_.size()) + a.exponent_;
    const std::int64_t b_size = static_cast<std::int64_t>(b.digits_.size()) + b.exponent_;
    if (a_size != b_size) return a_size <=> b_size;
    // Without trailing zeros, a longer run of equal digits is the larger number.
    return a.digits_ <=> b.digits_;
  }

  static constexpr std::int64_t smallest_exponent = -9;

  std::string text_ = "0";
  std::string
      digits_{};  ///< without zeros at either end; the value is digits times ten to the exponent
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

/// Quantities by resource name.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace schedpol
