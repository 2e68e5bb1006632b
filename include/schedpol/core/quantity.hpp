// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar and exact comparison.
///
///     quantity = [+-] number suffix
///     number   = digits with at most one dot, either side of which may be empty
///     suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes, a value is rounded away from zero to a multiple of a billionth, and a value with
/// a binary suffix is at most 2^63-1. A number without digits is zero (`Gi`), except before Pi, Ei or
/// a power below 10^-9, where it is malformed. Unlike Kubernetes, this refuses white space anywhere,
/// even in a quoted quantity.

#include <schedpol/base/optional.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>

#include <compare>

namespace SCHEDPOL_NAMESPACE {

/// A number with the text that it was read from; `0` by default. Quantities are equal if their values
/// are: `1`, `1000m` and `1e0` are equal.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity. Nothing if the text is empty, longer than `max_quantity_bytes` or otherwise
  /// malformed: an unknown suffix, white space, a power of ten beyond `max_quantity_power`.
  [[nodiscard]] static Optional<Quantity> parse(std::string_view text);

  /// The text it was read from. A copy, because the quantity may be a temporary.
  [[nodiscard]] std::string text() const { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// The value in units and in thousandths, rounded away from zero like Kubernetes' `Value` and
  /// `MilliValue`. On overflow, the nearest int64.
  [[nodiscard]] std::int64_t value() const noexcept { return scaled(0); }
  [[nodiscard]] std::int64_t milli_value() const noexcept { return scaled(3); }

  /// The exact sum and difference. Their text is plain digits and a power of ten.
  [[nodiscard]] Quantity operator+(const Quantity& other) const;
  [[nodiscard]] Quantity operator-(const Quantity& other) const;

  [[nodiscard]] bool operator==(const Quantity& other) const noexcept;
  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const noexcept;

 private:
  /// The value times ten to the `power`, rounded away from zero, within int64.
  [[nodiscard]] std::int64_t scaled(std::int64_t power) const noexcept;

  struct Arithmetic;

  std::string text_ = "0";
  /// No zeros at either end. The value is these digits times ten to the exponent.
  std::string digits_{};
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

/// Quantities by resource name.
using ResourceList = TextMap<Quantity>;

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/quantity.ipp>
#endif
