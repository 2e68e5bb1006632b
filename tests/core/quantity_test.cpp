// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/quantity.hpp>

#include "quantities.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace quantity_test {

using namespace quantities;

using schedpol::ResourceList;

static_assert(std::is_same_v<decltype(std::declval<Quantity>().text()), std::string>);
static_assert(!std::is_aggregate_v<Quantity>);
static_assert(std::is_nothrow_move_constructible_v<Quantity>);
static_assert(std::is_nothrow_move_assignable_v<Quantity>);
static_assert(std::three_way_comparable<Quantity, std::strong_ordering>);
static_assert(noexcept(std::declval<const Quantity&>() == std::declval<const Quantity&>()));
static_assert(noexcept(std::declval<const Quantity&>() <=> std::declval<const Quantity&>()));
static_assert(noexcept(std::declval<const Quantity&>().is_zero()));
static_assert(!std::is_constructible_v<Quantity, std::string_view>);
static_assert(schedpol::max_quantity_bytes == 1024);
static_assert(schedpol::max_quantity_power == 1024);

bool reads(std::string_view text) {
  return Quantity::parse(text).has_value();
}

TEST_CASE("a default-constructed quantity is 0") {
  CHECK(Quantity().text() == "0");
  CHECK(Quantity().is_zero());
  CHECK((Quantity() == quantity("0")));
}

TEST_CASE("a quantity is a sign, digits with a dot and a suffix, each but one of them optional") {
  struct Case {
    std::string name;
    std::string text;
    std::string value;  ///< the same in another spelling
  };
  const Case cases[] = {
      {"digits", "12", "12"},
      {"plus", "+12", "12"},
      {"minus", "-12", "-12"},
      {"leading zeros", "00012", "12"},
      {"a sign and leading zeros", "-00012", "-12"},
      {"a fraction", "1.5", "1500m"},
      {"trailing zeros", "1.500", "1500m"},
      {"no digits before the dot", ".5", "500m"},
      {"a sign before the dot", "-.5", "-500m"},
      {"no digits after the dot", "5.", "5"},
      {"no digits after the dot, a suffix", "5.G", "5G"},
      {"a fraction and a decimal suffix", "1.5k", "1500"},
      {"a fraction and a binary suffix", "1.5Ki", "1536"},
      {"a fraction and an exponent", "1.5e3", "1500"},

      {"n", "1000n", "1u"},
      {"u", "1000u", "1m"},
      {"m", "1000m", "1"},
      {"k", "1k", "1000"},
      {"M", "1M", "1000k"},
      {"G", "1G", "1000M"},
      {"T", "1T", "1000G"},
      {"P", "1P", "1000T"},
      {"E", "1E", "1000P"},
      {"Ki", "1Ki", "1024"},
      {"Mi", "1Mi", "1024Ki"},
      {"Gi", "1Gi", "1024Mi"},
      {"Ti", "1Ti", "1024Gi"},
      {"Pi", "1Pi", "1024Ti"},
      {"Ei", "1Ei", "1024Pi"},
      {"Ei in digits", "1Ei", "1152921504606846976"},
      {"E in digits", "1E", "1000000000000000000"},

      {"e", "1e3", "1k"},
      {"E with a power is an exponent", "1E3", "1k"},
      {"a plus in the power", "1e+3", "1k"},
      {"E and a plus", "1E+3", "1k"},
      {"a minus in the power", "1e-3", "1m"},
      {"E and a minus", "1E-3", "1m"},
      {"power zero", "7e0", "7"},
      {"minus zero", "7e-0", "7"},
      {"leading zeros in the power", "7e003", "7k"},
      {"the smallest unit as a power", "1e-9", "1n"},
      {"a power between suffixes", "1e4", "10k"},

      {"digits beyond int64", "9223372036854775808", "9.223372036854775808E"},
      {"forty digits", "1" + zeros(39), "1e39"},
      {"forty digits after the dot, all zeros", "1." + zeros(40), "1"},
      {"forty zeros before", zeros(40) + "1", "1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(order(quantity(c.text), quantity(c.value)) == 0);
    CHECK((quantity(c.text) == quantity(c.value)));
    CHECK(quantity(c.text).text() == c.text);
    CHECK(!quantity(c.text).is_zero());
  }
}

TEST_CASE("what is no quantity is refused") {
  const std::string_view texts[] = {
      "",
      " ",
      " 1",
      "1 ",
      "1 Gi",
      "1\n",
      "\t1",
      "1\0"sv,
      "1.2.3",
      "1..2",
      "..",
      "--1",
      "++1",
      "+-1",
      "-+1",
      "1-",
      "1+",
      "1,5",
      "1_000",
      "0x10",
      "NaN",
      "Inf",
      "one",
      "1K",
      "1g",
      "1ki",
      "1kI",
      "1KI",
      "1GI",
      "1gi",
      "1KiB",
      "1GB",
      "1B",
      "1i",
      "1mi",
      "1ni",
      "1N",
      "1U",
      "1t",
      "1p",
      "1mm",
      "1kk",
      "1Gik",
      "1Gi1",
      "1k5",
      "1k.5",
      "1.k5",
      "1m-",
      "1e",
      "1e+",
      "1e-",
      "1E+",
      "1E-",
      "1e+-3",
      "1e-+3",
      "1e--3",
      "1e++3",
      "1e3.5",
      "1e 3",
      "1e3 ",
      "1e3k",
      "1e3Gi",
      "1Gie3",
      "1ee3",
      "1eE3",
      "1Ee3",
      "1EE",
      "1Eii",
      "1e3e3",
      "1e0x3",
      "1e1025",
      "1e-1025",
      "1E1025",
      "0e1025",
      "1e2147483648",
      "1e-2147483649",
      "1e99999999999999999999",
      "e1025",
      "$1",
      "1%",
      "1\xC2\xB5",
      "\xC2\xA0"
      "1",
      "1Zi",
      "1Yi",
  };
  for (const std::string_view text : texts) {
    CAPTURE(text);
    CHECK(!reads(text));
  }
}

TEST_CASE("only the listed letters are suffixes") {
  const std::string_view suffixes = "numkMGTPE";
  for (int c = 1; c < 256; ++c) {
    const std::string text = std::string("1") + static_cast<char>(c);
    const bool digit = c >= '0' && c <= '9';
    const bool known = digit || c == '.' || suffixes.find(static_cast<char>(c)) != suffixes.npos;
    CAPTURE(c);
    CHECK(reads(text) == known);
    CHECK(reads(text + "i") == ("KMGTPE"sv.find(static_cast<char>(c)) != std::string_view::npos));
  }
}

TEST_CASE("a number without any digit is zero, but not before Pi, Ei or a power below 10^-9") {
  for (const std::string number : {"", "+", "-", ".", "+.", "-."}) {
    for (const std::string suffix :
         {"",   "n",  "u",  "m",  "k",  "M",  "G",   "T",   "P",      "E",
          "Ki", "Mi", "Gi", "Ti", "e0", "e5", "E-9", "e-9", "e+1024", "e1024"}) {
      const std::string text = number + suffix;
      CAPTURE(text);
      if (text.empty()) continue;
      REQUIRE(reads(text));
      CHECK(quantity(text).is_zero());
      CHECK((quantity(text) == Quantity()));
      CHECK(quantity(text).text() == text);
    }
    for (const std::string suffix : {"Pi", "Ei", "e-10", "E-10", "e-1024"}) {
      CAPTURE(number);
      CAPTURE(suffix);
      CHECK(!reads(number + suffix));
      CHECK(reads(number + "0" + suffix));
    }
  }
}

TEST_CASE("zero is one value in all its forms") {
  const std::string many = zeros(1000);
  for (const std::string_view text :
       {"0"sv, "+0"sv, "-0"sv, "00"sv, "0.0"sv, ".0"sv, "0."sv, "-.0"sv, "0n"sv, "0m"sv, "0E"sv,
        "0Ei"sv, "-0Gi"sv, "0e5"sv, "0e-5"sv, "0e1024"sv, "-0e-1024"sv, "0.000000000000n"sv,
        std::string_view(many)}) {
    CAPTURE(text);
    const Quantity zero = quantity(text);
    CHECK(zero.is_zero());
    CHECK((zero == Quantity()));
    CHECK(order(zero, quantity("1n")) == -1);
    CHECK(order(zero, quantity("-1n")) == 1);
    CHECK(zero.text() == text);
  }
}

TEST_CASE("text and power have bounds") {
  const std::string longest = "1" + zeros(1023);
  REQUIRE(longest.size() == schedpol::max_quantity_bytes);
  CHECK(reads(longest));
  CHECK(!reads(longest + "0"));
  CHECK(order(quantity(longest), quantity("1e1023")) == 0);
  CHECK(order(quantity(longest), quantity("1e1024")) == -1);

  CHECK(reads("1e1024"));
  CHECK(reads("1e+1024"));
  CHECK(reads("1e-1024"));
  CHECK(!reads("1e1025"));
  CHECK(!reads("1e-1025"));

  const std::string long_and_large = std::string(1019, '9') + "e1024";
  REQUIRE(long_and_large.size() == schedpol::max_quantity_bytes);
  CHECK(order(quantity(long_and_large), quantity("1e1024")) == 1);
  const std::string long_and_small = "." + std::string(1017, '9') + "e-1024";
  CHECK(order(quantity(long_and_small), quantity("1n")) == 0);
}

TEST_CASE("long digits are compared to the last one") {
  const std::string digits(400, '7');
  CHECK(order(quantity(digits + "7"), quantity(digits + "8")) == -1);
  CHECK(order(quantity(digits + "8"), quantity(digits + "7")) == 1);
  CHECK(order(quantity(digits + "7"), quantity(digits + "7.0")) == 0);
  CHECK(order(quantity(digits + "7"), quantity(digits + "7.000000001")) == -1);
  CHECK(order(quantity("-" + digits + "7"), quantity("-" + digits + "8")) == 1);
  CHECK(order(quantity("9007199254740993"), quantity("9007199254740992")) == 1);
  CHECK(order(quantity("9223372036854775807.000000001"), quantity("9223372036854775807")) == 1);
}

TEST_CASE("quantities compare by value across suffixes and exponents") {
  // Ascending; the texts of one line are equal.
  const std::vector<std::vector<std::string>> values = {
      {"-1e1024", "-10e1023"},
      {"-1E", "-1e18", "-1000P"},
      {"-1Ki", "-1024", "-1.024k"},
      {"-1k", "-1000", "-1e3"},
      {"-2", "-2000m"},
      {"-1.5", "-1500m", "-15e-1"},
      {"-1", "-1000m", "-1e0", "-1.0"},
      {"-1m"},
      {"-1n", "-.5n", "-1e-1024"},
      {"0", "-0", "0Gi", "."},
      {"1n", "0.000000001", "1e-9", "0.001u", "0.1n"},
      {"999n"},
      {"1u", "1e-6", "1000n", "0.001m"},
      {"1m", "0.001", "1e-3", "1000u"},
      {"100m", ".1", "0.1", "1e-1"},
      {"0.5Ki", "512", "512e0"},
      {"999"},
      {"1k", "1000", "1e3", "0.001M"},
      {"1023"},
      {"1Ki", "1024", "1.024k"},
      {"1025"},
      {"1M", "1e6", "1000k"},
      {"1Mi", "1048576", "1.048576M"},
      {"1G", "1e9", "1000M"},
      {"1Gi", "1073741824", "1024Mi"},
      {"1T", "1e12"},
      {"1Ti", "1099511627776", "1024Gi"},
      {"1P", "1e15"},
      {"1Pi", "1125899906842624", "1024Ti"},
      {"1E", "1e18", "1000P"},
      {"1Ei", "1152921504606846976", "1024Pi"},
      {"9223372036854775806"},
      {"9223372036854775807", "8Ei", "9Ei"},
      {"9223372036854775808"},
      {"10E", "1e19", "10000P"},
      {"1e20"},
      {"1e1024", "10e1023"},
      {"10e1024", "1" + zeros(50) + "e975"},
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      for (const std::string& a : values[i]) {
        for (const std::string& b : values[j]) {
          CAPTURE(a);
          CAPTURE(b);
          CHECK(order(quantity(a), quantity(b)) == (i < j ? -1 : i > j ? 1 : 0));
          CHECK((quantity(a) == quantity(b)) == (i == j));
        }
      }
    }
  }
}

TEST_CASE("equality is that of the values, not of the texts") {
  CHECK((quantity("1") == quantity("1000m")));
  CHECK((quantity("1") == quantity("1e0")));
  CHECK(quantity("1").text() != quantity("1000m").text());
  const ResourceList a = {{"cpu", quantity("1")}, {"memory", quantity("1Gi")}};
  const ResourceList b = {{"cpu", quantity("1000m")}, {"memory", quantity("1024Mi")}};
  CHECK((a == b));
  CHECK(a.find("cpu"sv) != a.end());
}

TEST_CASE("a value is rounded away from zero to a billionth") {
  struct Case {
    std::string name;
    std::string text;
    std::string rounded;
  };
  const Case cases[] = {
      {"exact", "0.000000001", "1n"},
      {"a tenth of the unit", "0.0000000001", "1n"},
      {"a tenth of the unit as a suffix", "0.1n", "1n"},
      {"just above the unit", "1.0000000001n", "2n"},
      {"half", "1.5n", "2n"},
      {"just below the next", "1.9n", "2n"},
      {"zeros beyond the unit", "1.000n", "1n"},
      {"a digit far beyond the unit", "1.00000000000000000001n", "2n"},
      {"a whole number with a trace", "1.00000000000001", "1.000000001"},
      {"a carry", "0.0000000099", "10n"},
      {"a carry through nines", "0.9999999991", "1"},
      {"a carry that lengthens the number", "999.9999999999", "1k"},
      {"no carry", "0.999999999", "999999999n"},
      {"a small power", "1e-10", "1n"},
      {"a small power of many digits", "12345e-10", "1235n"},
      {"the smallest power", "1e-1024", "1n"},
      {"the smallest power of nines", "999e-1024", "1n"},
      {"u", "0.0001u", "1n"},
      {"m", "1.0000001m", "1000001n"},
      {"a binary suffix is applied before", "0.0000000001Ki", "103n"},
      {"a binary suffix, exact", "0.0000000001Gi", "107374183n"},
      {"a binary suffix, a fraction", "0.3Gi", "322122547.2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(order(quantity(c.text), quantity(c.rounded)) == 0);
    CHECK(order(quantity("-" + c.text), quantity("-" + c.rounded)) == 0);
  }
}

TEST_CASE("with a binary suffix a value is at most 2^63-1") {
  struct Case {
    std::string name;
    std::string text;
    std::string value;
  };
  const std::string largest = "9223372036854775807";
  const Case cases[] = {
      {"7Ei is below", "7Ei", "8070450532247928832"},
      {"a fraction below", "7.99999999999999999Ei", "9223372036854775796.470784954"},
      {"a fraction above", "7.9999999999999999999Ei", largest},
      {"8Ei", "8Ei", largest},
      {"9Ei", "9Ei", largest},
      {"many digits", std::string(1000, '9') + "Ki", largest},
      {"Pi", "8192Pi", largest},
      {"Ti", "9000000Ti", largest},
      {"Gi", "9000000000Gi", largest},
      {"Mi", "9000000000000Mi", largest},
      {"Ki", "9007199254740992Ki", largest},
      {"Ki, the last below", "9007199254740991Ki", "9223372036854774784"},
      {"no suffix has no such bound", "9223372036854775808", "9.223372036854775808e18"},
      {"nor has E", "10E", "1e19"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(order(quantity(c.text), quantity(c.value)) == 0);
    CHECK(order(quantity("-" + c.text), quantity("-" + c.value)) == 0);
  }
}

TEST_CASE("as an integer a quantity is rounded away from zero, and saturates") {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  struct Case {
    std::string_view text;
    std::int64_t value, milli_value;
  };
  const Case cases[] = {
      {"0", 0, 0},
      {"1", 1, 1000},
      {"1500m", 2, 1500},
      {"1m", 1, 1},
      {"1n", 1, 1},
      {"1.0000001", 2, 1001},
      {"0.1", 1, 100},
      {"-1n", -1, -1},
      {"-1500m", -2, -1500},
      {"2Gi", 2147483648, 2147483648000},
      {"1.5Ki", 1536, 1536000},
      {"5k", 5000, 5000000},
      {"9223372036854775807", most, most},
      {"9223372036854775806", most - 1, most},
      {"9223372036854775808", most, most},
      {"9223372036854775806.1", most, most},
      {"9223372036854775807.1", most, most},
      {"9223372036854775807m", 9223372036854776, most},
      {"9223372036854775.807", 9223372036854776, most},
      {"1e19", most, most},
      {"99999999999999999999", most, most},
      {"1e1024", most, most},
      {"8Ei", most, most},
      {"-9223372036854775807", least + 1, least},
      {"-9223372036854775808", least, least},
      {"-1e30", least, least},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(quantity(c.text).value() == c.value);
    CHECK(quantity(c.text).milli_value() == c.milli_value);
  }
}

}  // namespace quantity_test
