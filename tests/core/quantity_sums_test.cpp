// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/quantity.hpp>

#include "quantities.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quantity_sums_test {

using namespace quantities;

TEST_CASE("a sum is exact") {
  struct Case {
    std::string name;
    std::string a;
    std::string b;
    std::string sum;
  };
  const Case cases[] = {
      {"whole numbers", "1", "2", "3"},
      {"a carry", "5", "5", "10"},
      {"carries all the way", "999999999999999999999", "1", "1e21"},
      {"nines on both sides", "999", "999", "1998"},
      {"no rounding in between", "1E", "1n", "1000000000000000000.000000001"},
      {"decimal and binary", "1Gi", "1G", "2073741824"},
      {"exponents far apart", "1e1000", "1n", "1" + zeros(1000) + ".000000001"},
      {"fractions", "0.1", "0.2", "0.3"},
      {"what binary floating point would lose", "9007199254740992", "1", "9007199254740993"},
      {"zero on the left", "0", "5m", "5m"},
      {"zero on the right", "5m", "0", "5m"},
      {"zeros", "0", "-0", "0"},
      {"negative numbers", "-1", "-2", "-3"},
      {"a carry of negative numbers", "-5", "-5", "-10"},
      {"to zero", "1.5", "-1500m", "0"},
      {"to zero from below", "-1Gi", "1024Mi", "0"},
      {"a smaller negative", "10", "-1", "9"},
      {"a larger negative", "1", "-10", "-9"},
      {"a borrow", "1000", "-1", "999"},
      {"borrows all the way", "1e21", "-1", "999999999999999999999"},
      {"a borrow below the dot", "1", "-1n", "0.999999999"},
      {"a difference of a unit", "1e30", "-999999999999999999999999999999", "1"},
      {"leading digits cancel", "123456789", "-123456780", "9"},
      {"trailing digits cancel", "123456789", "-456789", "123M"},
      {"the bound of binary suffixes does not hold for sums", "8Ei", "8Ei", "18446744073709551614"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Quantity sum = quantity(c.a) + quantity(c.b);
    CAPTURE(sum.text());
    CHECK(order(sum, quantity(c.sum)) == 0);
    CHECK(order(quantity(c.b) + quantity(c.a), quantity(c.sum)) == 0);
    CHECK(sum.is_zero() == (c.sum == "0"));
  }
}

TEST_CASE("the text of a sum is digits and a power of ten, and reads as the sum") {
  CHECK((quantity("1") + quantity("2")).text() == "3e0");
  CHECK((quantity("500m") + quantity("500m")).text() == "1e0");
  CHECK((quantity("1Ki") + quantity("1m")).text() == "1024001e-3");
  CHECK((quantity("-7") + quantity("-3")).text() == "-1e1");
  CHECK((quantity("1") + quantity("-1")).text() == "0e0");
  CHECK((quantity("0") + quantity("1Gi")).text() == "1Gi");
  CHECK((quantity("1Gi") + Quantity()).text() == "1Gi");
}

TEST_CASE("sums do not depend on order or grouping") {
  const std::vector<std::string> texts = {
      "0",    "1n",    "-1n",  "999999999n", "1",   "-1",     "9",     "-10",  "99.5",
      "1023", "-1Ki",  "1Ki",  "1.5Gi",      "8Ei", "-9Ei",   "1e18",  "1e30", "-1e30",
      "0.1",  "-0.7m", "123u", "1e-9",       "10E", "-1e-20", "4e100",
  };
  std::vector<Quantity> universe;
  for (const std::string& text : texts) universe.push_back(quantity(text));
  for (const Quantity& a : universe) {
    for (const Quantity& b : universe) {
      CAPTURE(a.text());
      CAPTURE(b.text());
      const Quantity sum = a + b;
      CHECK(order(sum, b + a) == 0);
      CHECK(order(sum, quantity(sum.text())) == 0);
      CHECK(order(sum, a) == order(b, Quantity()));
      for (const Quantity& c : universe) {
        CAPTURE(c.text());
        CHECK(order(sum + c, a + (b + c)) == 0);
        CHECK(order(a + c, b + c) == order(a, b));
      }
    }
  }
}

TEST_CASE("a difference is exact") {
  struct Case {
    std::string_view a, b, difference;
  };
  const Case cases[] = {
      {"3", "1", "2"},          {"1", "3", "-2"},
      {"1", "1000m", "0"},      {"0", "0", "0"},
      {"0", "5m", "-5m"},       {"5m", "0", "5m"},
      {"1Gi", "1Mi", "1023Mi"}, {"1", "-1", "2"},
      {"-1", "-1", "0"},        {"1e24", "1n", "999999999999999999999999999999999n"},
      {"100m", "1", "-900m"},   {"-250m", "750m", "-1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.a);
    CAPTURE(c.b);
    const Quantity difference = quantity(c.a) - quantity(c.b);
    CHECK(order(difference, quantity(c.difference)) == 0);
    CHECK(order(quantity(difference.text()), difference) == 0);
    CHECK(order(difference + quantity(c.b), quantity(c.a)) == 0);
  }
}

TEST_CASE("generated quantities compare and add up like their numbers of billionths") {
  struct Suffix {
    const char* text;
    std::int64_t billionths;  ///< of one unit
  };
  constexpr std::int64_t one = 1'000'000'000;
  const Suffix suffixes[] = {
      {"n", 1},
      {"u", 1000},
      {"m", 1'000'000},
      {"", one},
      {"k", one * 1000},
      {"M", one * 1000000},
      {"Ki", one * 1024},
      {"Mi", one * 1024 * 1024},
      {"e-9", 1},
      {"e-4", 100'000},
      {"e1", one * 10},
      {"E+2", one * 100},
      {"E5", one * 100'000},
  };
  std::mt19937 random(20);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random()) % count; };
  // Up to 999.999 of a suffix: at most 1.05e18 billionths.
  const auto draw = [&]() -> std::pair<std::string, std::int64_t> {
    const Suffix& suffix = suffixes[pick(std::size(suffixes))];
    const std::size_t thousandths = pick(3) == 0 ? pick(100) : pick(1'000'000);
    std::string fraction = std::to_string(1000 + thousandths % 1000).substr(1);
    std::string text = std::to_string(thousandths / 1000) + "." + fraction + suffix.text;
    const auto product = static_cast<std::int64_t>(thousandths % 1000) * suffix.billionths;
    const std::int64_t value =
        static_cast<std::int64_t>(thousandths / 1000) * suffix.billionths + (product + 999) / 1000;
    return pick(2) == 0 ? std::pair(text, value) : std::pair("-" + text, -value);
  };
  std::size_t equal = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto [a_text, a] = draw();
    auto [b_text, b] = draw();
    if (pick(4) == 0) {
      b = a;
      b_text = std::to_string(a) + "n";
    }
    CAPTURE(a_text);
    CAPTURE(b_text);
    equal += a == b ? 1 : 0;
    CHECK(order(quantity(a_text), quantity(b_text)) == (a < b ? -1 : a > b ? 1 : 0));
    const Quantity sum = quantity(a_text) + quantity(b_text);
    CHECK(order(sum, quantity(std::to_string(a + b) + "n")) == 0);
    CHECK(sum.is_zero() == (a + b == 0));
  }
  CHECK(equal > 4000);
}

}  // namespace quantity_sums_test
