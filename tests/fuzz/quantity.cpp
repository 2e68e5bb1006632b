// SPDX-License-Identifier: Apache-2.0
// Quantities: an input is two or three texts, each on a line. Comparison is an order, sums are
// exact and can be undone, and the text of a quantity is one.

#include <schedpol/core/quantity.hpp>

#include "fuzz.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

using schedpol::Quantity;
using schedpol::fuzz::law;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = schedpol::fuzz::text(data, size);
  std::vector<Quantity> read;
  for (std::size_t at = 0; at <= size && read.size() < 3; ++at) {
    const std::string_view line = input.substr(at, input.find('\n', at) - at);
    at += line.size();
    if (const auto quantity = Quantity::parse(line)) {
      law(quantity->text() == line, "a quantity keeps its text", input);
      read.push_back(*quantity);
    }
  }
  const Quantity zero;
  for (const Quantity& a : read) {
    law(a == a && !(a < a) && (a - a).is_zero() && a + zero == a, "a quantity is itself", input);
    law(a.is_zero() == (a == zero), "zero is equal to zero", input);
    for (const Quantity& b : read) {
      law((a < b) == (b > a) && (a == b) == (b == a), "comparison has two sides", input);
      law(a >= b || (a.value() <= b.value() && a.milli_value() <= b.milli_value()),
          "integers keep the order", input);
      law(a + b == b + a && a + b - b == a && a - b + b == a, "what was added is taken off", input);
      law((a - b < zero) == (a < b), "a difference is below zero where the first is less", input);
      const auto sum = Quantity::parse((a + b).text());
      law(!sum || *sum >= a + b || (a + b) < zero, "the text of a sum is read, rounded up", input);
      for (const Quantity& c : read) {
        law(!(a < b && b < c) || a < c, "comparison is transitive", input);
        law((a < b) == (a + c < b + c), "a sum keeps the order", input);
      }
    }
  }
  return 0;
}
