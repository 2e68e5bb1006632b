// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar, compared exactly.
///
///     quantity = [+-] number suffix
///     number   = digits with at most one dot, either side of which may be empty
///     suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes a value is rounded away from zero to a multiple of a billionth, and one with a
/// binary suffix is at most 2^63-1; a number without any digit is zero (`Gi`), though not before
/// Pi, Ei or a power below 10^-9. Unlike there, white space is refused wherever it stands, in a
/// quoted quantity too.

#include <schedpol/base/optional.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>

#include <compare>

namespace SCHEDPOL_NAMESPACE {

/// A number with the text it was written in. Default-constructed it is `0`. Two quantities are
/// equal when their values are: `1`, `1000m` and `1e0` are one.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity, or nothing where the text is none: empty, too long (`max_quantity_bytes`),
  /// an unknown suffix, white space, a power of ten out of bounds (`max_quantity_power`).
  [[nodiscard]] static Optional<Quantity> parse(std::string_view text);

  /// The text it was read from; a copy, because a quantity is read and gone in one line.
  [[nodiscard]] std::string text() const { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// As an integer, and as one of thousandths: rounded away from zero as Kubernetes' `Value` and
  /// `MilliValue` do, and the nearest int64 where those overflow.
  [[nodiscard]] std::int64_t value() const noexcept { return scaled(0); }
  [[nodiscard]] std::int64_t milli_value() const noexcept { return scaled(3); }

  /// The exact sum and difference, with the text of their plain digits and a power of ten.
  [[nodiscard]] Quantity operator+(const Quantity& other) const;
  [[nodiscard]] Quantity operator-(const Quantity& other) const;

  [[nodiscard]] bool operator==(const Quantity& other) const noexcept;
  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const noexcept;

 private:
  /// Times a power of ten.
  [[nodiscard]] std::int64_t scaled(std::int64_t power) const noexcept;

  struct Arithmetic;

  std::string text_ = "0";
  /// Without zeros at either end; the value is these digits times ten to the exponent.
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
