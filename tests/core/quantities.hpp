// SPDX-License-Identifier: Apache-2.0
#pragma once

// Quantities by their texts.

#include <schedpol/core/quantity.hpp>

#include "../support/print.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quantities {

using schedpol::Quantity;
using namespace std::string_view_literals;

inline Quantity quantity(std::string_view text) {
  const std::optional<Quantity> parsed = Quantity::parse(text);
  CAPTURE(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

inline std::string zeros(std::size_t count) {
  return std::string(count, '0');
}

/// The order of two quantities as a sign, so that a failure shows it.
inline int order(const Quantity& a, const Quantity& b) {
  const std::strong_ordering order = a <=> b;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

}  // namespace quantities
