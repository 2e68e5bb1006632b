// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/reader.hpp>

#include "../support/json_oracle.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/strings.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reader_test {
namespace {

using schedpol::testing::difference;
using schedpol::testing::Reading;

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
  std::vector<std::string> letters_ = {"a",
                                       "b",
                                       "ab",
                                       "c",
                                       R"(\")",
                                       R"(\\)",
                                       R"(\/)",
                                       R"(\b)",
                                       R"(\f)",
                                       R"(\n)",
                                       R"(\r)",
                                       R"(\t)",
                                       R"(\u0061)",
                                       R"(\u007F)",
                                       R"(\u00fc)",
                                       R"(\ud83d\ude00)",
                                       "\xC3\xBC",
                                       "\xE2\x82\xAC",
                                       "\xF0\x9F\x98\x80"};
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
                                     "1e400",
                                     "18446744073709551616"};
  std::vector<std::string> pieces_ = {
      "{",        "}",    "[",  "]",        ",",       ":",       "\"",
      "\\",       "0",    "01", "e1",       "-",       "null",    "nul",
      "true",     "{}",   "[]", "\\u0000",  "\\u00G0", "\\ud800", "+",
      "1.",       "e9",   ".5", "\xF0\x90", "\\udc00", "\0",      "\x80",
      "\xC3\xBC", "\x7F", " ",  "\"a\":1,", ",\"a\":1"};
};

// What is wrong with a document and at which byte; `good`.
std::string wrong(std::string_view bytes) {
  schedpol::json::Document document;
  return document.parse(bytes) ? "good" : document.error().detail;
}

// The lines of the conformance vectors.
std::vector<std::string> vectors() {
  std::vector<std::string> lines;
  for (const auto& file : std::filesystem::directory_iterator(SCHEDPOL_TEST_CONFORMANCE_DIR)) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) lines.push_back(line);
  }
  return lines;
}

}  // namespace

TEST_CASE("all of RFC 8259 is read, and nothing else") {
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
      {"null", true},
      {R"({"\"\\\/\b\f\n\r\t\u0041\u007f":"\u0000"})", true},
      {"\"\x7F\"", true},
      {R"({"":1,"a":2})", true},
      {R"({"a1b1c":1,"a2b2c":2,"a3b3c":3})", true},
      // Numbers.
      {"0", true},
      {"-0", true},
      {"-0.0", true},
      {"-999999999999999999", true},
      {"-9223372036854775808", true},
      {"9223372036854775807", true},
      {"9223372036854775808", true},
      {"18446744073709551615", true},
      {"1.0", true},
      {"1e5", true},
      {"1E+5", true},
      {"12.75e-3", true},
      {"[0,1.5]", true},
      {"[-]", false},
      {"[+1]", false},
      {"[01]", false},
      {"[-01]", false},
      {"[00]", false},
      {"[01.5]", false},
      {"[.5]", false},
      {"[1.]", false},
      {"[1.e5]", false},
      {"[1e]", false},
      {"[1e+]", false},
      {"[1e5.5]", false},
      {"[1.5.5]", false},
      {"[0x1]", false},
      {"[1a]", false},
      {"[Infinity]", false},
      // Structure.
      {"", false},
      {" ", false},
      {"1,2", false},
      {",", false},
      {"[1,]", false},
      {"[,1]", false},
      {"[1 2]", false},
      {"[1}", false},
      {R"({"a":1])", false},
      {R"({"a":1,})", false},
      {R"({"a" 1})", false},
      {R"({"a":})", false},
      {R"({1:1})", false},
      {"{}}", false},
      {"{} {}", false},
      {"{}\0"sv, false},
      {"\0"sv, false},
      {"[tru]", false},
      {"[nulll]", false},
      {"\xEF\xBB\xBF{}", false},
      // Strings.
      {"[\"a]", false},
      {"[\"a\x1F\"]", false},
      {"[\"a\0\"]"sv, false},
      {"[\"\xC3\xBC\"]", true},
      {"[\xC3\xBC]", false},
      {R"(["\u0080\u07FF\u0800\uFFFF\uD800\uDC00\uDBFF\uDFFF"])", true},
      {R"(["\ud83d\ude00"])", true},
      {R"(["\ud83d"])", false},
      {R"(["\ud83dx"])", false},
      {R"(["\ud83d\n"])", false},
      {R"(["\ud83d\u0041"])", false},
      {R"(["\ud83d\ud83d"])", false},
      {R"(["\ud83d\ue000"])", false},
      {R"(["\ud83dxude00"])", false},
      {R"(["\ue000"])", true},
      {R"(["\ude00"])", false},
      {R"(["\u00g0"])", false},
      {R"(["\u004"])", false},
      {R"(["\x"])", false},
      {R"(["\)", false},
      {R"(["\u)", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(Reading(c.bytes).is_json() == c.is_read);
    CHECK(difference(c.bytes) == "");
  }
}

TEST_CASE("what is wrong is said with the byte where it is") {
  struct Case {
    std::string_view bytes;
    std::string_view wrong;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"", "not valid JSON: there is nothing"},
      {" \n ", "not valid JSON: there is nothing"},
      {R"({"a": )", "not valid JSON at byte 6: it ends before it is complete"},
      {R"({"a": 1)", "not valid JSON at byte 7: it ends before it is complete"},
      {R"({"a": "b)", "not valid JSON at byte 8: it ends before it is complete"},
      {"{]", "not valid JSON at byte 1: a key in quotes has to stand here"},
      {R"({"a":1,})", "not valid JSON at byte 7: a key in quotes has to stand here"},
      {R"({"a" 1})", "not valid JSON at byte 5: a colon has to stand here"},
      {"[1 2]",
       "not valid JSON at byte 3: a comma or the end of the list or object has to stand here"},
      {"[1,]", "not valid JSON at byte 3: a value has to stand here"},
      {"[True]", "not valid JSON at byte 1: a value has to stand here"},
      {"[nul]", "not valid JSON at byte 1: a value has to stand here"},
      {"[\x80]", "not valid JSON at byte 1: a value has to stand here"},
      {"[1, 01]", "not valid JSON at byte 4: a number is malformed"},
      {"[-]", "not valid JSON at byte 1: a number is malformed"},
      {"[1.]", "not valid JSON at byte 1: a number is malformed"},
      {"[1e+]", "not valid JSON at byte 1: a number is malformed"},
      {"1,2", "not valid JSON at byte 1: something stands behind the value"},
      {"{} // none", "not valid JSON at byte 3: something stands behind the value"},
      {"{}\0"sv, "not valid JSON at byte 2: something stands behind the value"},
      {"[\"ab\x80\"]", "not valid JSON at byte 4: it is not UTF-8"},
      {"[\"\\n\xC3\"]", "not valid JSON at byte 4: it is not UTF-8"},
      {"[\"\\n\n\"]", "not valid JSON at byte 4: a control character stands in a string"},
      {R"(["a\x"])", "not valid JSON at byte 3: an escape is malformed"},
      {R"(["a\ud800\u0041"])", "not valid JSON at byte 3: an escape is malformed"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.bytes);
    CHECK(wrong(c.bytes) == c.wrong);
  }
}

TEST_CASE("a number is kept as it was written, whatever its size") {
  // Those behind `true` simdjson refuses.
  constexpr std::pair<std::string_view, bool> numbers[] = {
      {"0", false},
      {"-0", false},
      {"1.50", false},
      {"1e5", false},
      {"1E+05", false},
      {"0.1000000000000000055511151231257827", false},
      {"1e-400", false},
      {"18446744073709551615", false},
      {"1.7976931348623157e308", false},
      {"1.8e308", true},
      {"-1e400", true},
      {"18446744073709551616", true},
      {"-9223372036854775809", true},
      {"123456789012345678901234567890", true},
  };
  for (const auto& [number, is_beyond] : numbers) {
    CAPTURE(number);
    const Reading reading(number);
    REQUIRE(reading.is_json());
    CHECK(reading.root().text() == number);
    CHECK(reading.root().is_number());
    CHECK(schedpol::testing::is_beyond(number) == is_beyond);
    CHECK(difference(number) == "");
  }
}

TEST_CASE("a string of any bytes is read where it is UTF-8") {
  for (const std::string_view end : {"", "\x80", "\xBF\x80", "\x80\x80\x80"}) {
    for (std::size_t bytes = 0; bytes < std::size_t{256} * 256; ++bytes) {
      std::string text = "\"";
      text += static_cast<char>(bytes / 256);
      text += static_cast<char>(bytes % 256);
      text.append(end) += '"';
      CAPTURE(bytes);
      REQUIRE(difference(text) == "");
    }
  }
}

TEST_CASE("an escape of a number has hexadecimal digits, small or large, and nothing else") {
  for (std::size_t place = 3; place < 7; ++place) {
    for (int byte = 0; byte < 256; ++byte) {
      CAPTURE(byte);
      std::string text = R"("\u00410")";
      text[place] = static_cast<char>(byte);
      REQUIRE(difference(text) == "");
    }
  }
}

TEST_CASE("a key that is there twice is found, however many there are") {
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
    CHECK(!Reading(object(size, size)).duplicate_key());
    for (std::size_t twice = 0; twice + 1 < size; ++twice)
      REQUIRE(to_string(Reading(object(size, twice)).duplicate_key().value()) ==
              "k" + std::to_string(twice));
  }
  // Whatever the bit that stands for a key: those of one letter have all of them.
  for (char letter = '#'; letter <= '~'; ++letter) {
    if (letter == '\\') continue;
    const std::string key = std::string("\"") + letter + "\":1";
    CAPTURE(key);
    CHECK(Reading("{" + key + "," + key + "}").duplicate_key());
  }
  // Of so many none is compared with all the others, which would take a minute.
  constexpr std::size_t many = 200'000;
  CHECK(!Reading(object(many, many)).duplicate_key());
}

TEST_CASE("levels are counted, whatever comes behind them") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(Reading(nested(schedpol::max_document_depth)).is_json());
  CHECK(Reading(nested(schedpol::max_document_depth + 1)).is_too_deep());
  CHECK(Reading(std::string(100000, '[')).is_too_deep());
  CHECK(!Reading("[}" + std::string(100000, '[')).is_too_deep());
}

TEST_CASE("law: the reader takes, refuses and reads what simdjson does") {
  Documents documents(7);
  const std::vector<std::string> lines = vectors();
  REQUIRE(lines.size() > 500);
  const int rounds = schedpol::testing::times(schedpol::testing::tries(5000));
  int taken = 0;
  int refused = 0;
  int damaged_and_taken = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string bytes = documents.below(4) == 0 ? documents.pick(lines) : documents.value(4);
    const bool is_damaged = documents.below(3) != 0;
    for (std::size_t i = is_damaged ? 1 + documents.below(3) : 0; i > 0 && !bytes.empty(); --i)
      bytes = documents.damaged(bytes);
    CAPTURE(bytes);
    REQUIRE(difference(bytes) == "");
    const bool is_taken = Reading(bytes).is_json();
    ++(is_taken ? taken : refused);
    damaged_and_taken += is_taken && is_damaged ? 1 : 0;
  }
  CHECK(taken >= rounds / 5);
  CHECK(refused >= rounds / 5);
  CHECK(damaged_and_taken >= rounds / 20);
}

TEST_CASE("a run of plain bytes ends at the first that is not, however many are looked at") {
  constexpr std::size_t run = 2 * schedpol::json::detail::block_bytes;
  for (int byte = 0; byte < 256; ++byte) {
    const bool is_plain = byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
    for (std::size_t at = 0; at < run; ++at) {
      std::array<char, 2 * run> bytes{};
      bytes.fill('a');
      bytes[at] = static_cast<char>(byte);
      bytes[run] = '"';
      const std::size_t end = is_plain ? run : at;
      REQUIRE(schedpol::json::detail::end_of_plain(bytes.data()) == bytes.data() + end);
      // What comes behind does not matter.
      bytes[at + 1] = '\\';
      REQUIRE(schedpol::json::detail::end_of_plain(bytes.data()) ==
              bytes.data() + (is_plain ? at + 1 : at));
    }
  }
}

}  // namespace reader_test
