// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/plain_reader.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/readers.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/plain_bytes.hpp>

#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plain_reader_test {
namespace {

using schedpol::testing::read_plainly;
using schedpol::testing::read_thoroughly;

// Documents of all that JSON has, some of it rare, with spaces here and there.
class Documents : public schedpol::testing::Random {
 public:
  using Random::Random;

  std::string value(std::size_t levels) {
    const std::size_t kind = below(levels > 0 ? 8 : 4);
    if (kind == 0) return pick(words_);
    if (kind <= 3) return string();
    const bool is_object = kind <= 6;
    std::string text(1, is_object ? '{' : '[');
    for (std::size_t i = below(below(9) == 0 ? 50 : 5); i > 0; --i) {
      if (is_object) text += space() + string() + space() + ":";
      text += space() + value(levels - 1) + space() + (i > 1 ? "," : "");
    }
    return text + space() + (is_object ? '}' : ']');
  }

  // What is left of a document when something happens to a byte of it.
  std::string damaged(std::string text) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0: text.erase(at, 1); break;
      case 1: text.erase(at); break;
      case 2: text.insert(at, 1, text[below(text.size())]); break;
      case 3: text[at] = static_cast<char>(below(256)); break;
      default: text.insert(at, pick(pieces_)); break;
    }
    return text;
  }

 private:
  std::string space() { return below(12) == 0 ? pick(spaces_) : ""; }

  std::string string() {
    std::string text = "\"";
    if (below(2) == 0) text += std::string(below(40), 'k');
    for (std::size_t i = below(3); i > 0; --i) text += pick(letters_);
    return text + '"';
  }

  std::vector<std::string> spaces_ = {" ", "\n", "\t", "\r", "  \n   "};
  std::vector<std::string> letters_ = {"a",     "b",     "ab",        "c",        R"(\")",
                                       R"(\\)", R"(\/)", R"(\b)",     R"(\f)",    R"(\n)",
                                       R"(\r)", R"(\t)", R"(\u0061)", R"(\u007F)"};
  std::vector<std::string> words_ = {"0",
                                     "1",
                                     "-1",
                                     "-0",
                                     "10",
                                     "999999999999999999",
                                     "-999999999999999999",
                                     "null",
                                     "false",
                                     "true",
                                     "1.0",
                                     "1e5",
                                     "9223372036854775807",
                                     "18446744073709551615",
                                     "0.5",
                                     "-0.0",
                                     R"("\u00fc")",
                                     "\"\xC3\xBC\"",
                                     R"("\ud83d\ude00")"};
  std::vector<std::string> pieces_ = {
      "{",  "}",  "[",    "]",    ",",        ":",    "\"", "\\",       "0",       "01",
      "e1", "-",  "null", "nul",  "true",     "{}",   "[]", "\\u0000",  "\\u00G0", "\\ud800",
      "+",  "1.", "\0",   "\x80", "\xC3\xBC", "\x7F", " ",  "\"a\":1,", ",\"a\":1"};
};

}  // namespace

TEST_CASE("the quick reader leaves to the other one what is rare, and all that is wrong") {
  struct Case {
    std::string_view bytes;
    bool is_read;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {R"({"a":[1,-2,true,false,null,"b",{},[]]})", true},
      {" {\t\"a\" :\r\n[ 1 , 2 ] , \"b\":{ } , \"c\" : [ ] } ", true},
      {R"("text")", true},
      {"7", true},
      {"0", true},
      {"-999999999999999999", true},
      {"null", true},
      {R"({"\"\\\/\b\f\n\r\t\u0041\u007f":"\u0000"})", true},
      {"\"\x7F\"", true},
      {R"({"":1,"a":2})", true},
      {R"({"a1b1c":1,"a2b2c":2,"a3b3c":3})", true},
      {"", false},
      {" ", false},
      {"1,2", false},
      {"[1,]", false},
      {"[,1]", false},
      {"[1 2]", false},
      {"[1}", false},
      {R"({"a":1])", false},
      {R"({"a":1,})", false},
      {R"({"a" 1})", false},
      {R"({1:1})", false},
      {"{}}", false},
      {"{} {}", false},
      {"{}\0"sv, false},
      {"[\"a]", false},
      {"[\"a\x1F\"]", false},
      {"[\"\xC3\xBC\"]", false},
      {R"(["\u0080"])", false},
      {R"(["\u00g0"])", false},
      {R"(["\u004"])", false},
      {R"(["\x"])", false},
      {"[tru]", false},
      {"[nulll]", false},
      {"[-0]", false},
      {"[01]", false},
      {"[-]", false},
      {"[+1]", false},
      {"[1.0]", false},
      {"[1e5]", false},
      {"[1000000000000000000]", false},
      {R"({"a":1,"a":2})", false},
      {R"({"a":1,"\u0061":2})", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(read_plainly(c.bytes).has_value() == c.is_read);
    if (c.is_read) CHECK(read_plainly(c.bytes) == read_thoroughly(c.bytes));
  }
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(read_plainly(nested(schedpol::max_document_depth)));
  CHECK(!read_plainly(nested(schedpol::max_document_depth + 1)));
  CHECK(!read_plainly(std::string(100000, '[')));
}

TEST_CASE("an escape of a number has hexadecimal digits, small or large, and nothing else") {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    CAPTURE(byte);
    const std::string low = std::string(R"("\u004)") + c + '"';
    const std::string high = std::string(R"("\u00)") + c + R"(1")";
    const bool is_digit = std::isxdigit(byte) != 0;
    REQUIRE(read_plainly(low).has_value() == is_digit);
    REQUIRE(read_plainly(high).has_value() == (byte >= '0' && byte < '8'));  // else not of ASCII
    if (is_digit) REQUIRE(read_plainly(low) == read_thoroughly(low));
    if (read_plainly(high)) REQUIRE(read_plainly(high) == read_thoroughly(high));
  }
}

TEST_CASE("the quick reader leaves a key that is there twice, however many there are") {
  const auto object = [](std::size_t size, std::size_t twice) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
      const std::string key = std::to_string(i + 1 == size ? twice : i);
      text += (i == 0 ? "{\"k" : ",\"k") + key + (i % 3 == 0 ? R"(":{"in":[1,{}]})" : R"(":1)");
    }
    return text + "}";
  };
  for (std::size_t size = 2; size < 70; ++size) {
    CAPTURE(size);
    CHECK(read_plainly(object(size, size)));
    for (std::size_t twice = 0; twice + 1 < size; ++twice)
      REQUIRE(!read_plainly(object(size, twice)));
  }
  // Of so many none is compared with all the others, which would take a minute.
  constexpr std::size_t many = 200'000;
  CHECK(read_plainly(object(many, many)));
}

TEST_CASE("law: what the quick reader reads, the other one reads the same") {
  Documents documents(7);
  constexpr int rounds = schedpol::testing::tries(30000);
  int read = 0;
  int left = 0;
  int damaged_and_read = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = documents.value(4);
    const bool is_damaged = documents.below(2) == 0;
    if (is_damaged) bytes = documents.damaged(bytes);
    CAPTURE(bytes);
    const auto plain = read_plainly(bytes);
    if (!plain) {
      ++left;
      continue;
    }
    REQUIRE(plain == read_thoroughly(bytes));
    ++read;
    damaged_and_read += is_damaged ? 1 : 0;
  }
  CHECK(read >= rounds / 5);
  CHECK(left >= rounds / 5);
  CHECK(damaged_and_read >= rounds / 50);
}

TEST_CASE("a run of plain bytes ends at the first that is not, however many are looked at") {
  const auto check = []<class Block>(Block) {
    for (int byte = 0; byte < 256; ++byte) {
      const bool is_plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
      for (std::size_t at = 0; at < 2 * Block::size; ++at) {
        std::array<char, 4 * Block::size> bytes{};
        bytes.fill('a');
        bytes[at] = static_cast<char>(byte);
        bytes[2 * Block::size] = '"';
        const std::size_t end = is_plain ? 2 * Block::size : at;
        REQUIRE(schedpol::json::detail::end_of_plain<Block>(bytes.data()) == bytes.data() + end);
        // What comes behind does not matter.
        bytes[at + 1] = '\\';
        REQUIRE(schedpol::json::detail::end_of_plain<Block>(bytes.data()) ==
                bytes.data() + (is_plain ? at + 1 : at));
      }
    }
  };
  check(schedpol::json::detail::EightBytes());
  check(schedpol::json::detail::PlainBlock());
}

}  // namespace plain_reader_test
