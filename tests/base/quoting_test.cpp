// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/quoting.hpp>

#include "../support/print.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace quoting_test {

using schedpol::append_escaped;
using schedpol::in_backticks;
using schedpol::max_shown_bytes;
using schedpol::max_shown_names;
using schedpol::Names;
using namespace std::string_view_literals;

std::string escaped(std::string_view part, std::string_view separators) {
  std::string text;
  append_escaped(text, part, separators);
  return text;
}

static_assert(max_shown_bytes == 512);

TEST_CASE("input is shown between backticks, on one line") {
  struct Case {
    std::string name;
    std::string_view input;
    std::string shown;
  };
  const Case cases[] = {
      {"nothing", "", "``"},
      {"a word", "my-scheduler", "`my-scheduler`"},
      {"a line feed", "a\nb", "`a\\x0ab`"},
      {"a carriage return", "a\rb", "`a\\x0db`"},
      {"a tab", "\t", "`\\x09`"},
      {"a zero byte", "a\0b"sv, "`a\\x00b`"},
      {"an escape sequence of a terminal", "\x1b[31m", "`\\x1b[31m`"},
      {"the last control character of the first block", "\x1f", "`\\x1f`"},
      {"a delete", "\x7f", "`\\x7f`"},
      {"a space", " ", "` `"},
      {"a tilde, the byte before delete", "~", "`~`"},
      {"a backtick", "a`b", "`a\\`b`"},
      {"a backslash", "a\\b", "`a\\\\b`"},
      {"what looks like an escape already", "\\x0a", "`\\\\x0a`"},
      {"upper case, quotes and full stops as they are", "A.\"b\".", "`A.\"b\".`"},
      {"two, three and four byte sequences as they are", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
       "`\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80`"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(in_backticks(c.input) == c.shown);
  }
}

TEST_CASE("every ASCII control character is escaped and no other is") {
  for (int i = 0; i < 0x80; ++i) {
    CAPTURE(i);
    const char c = static_cast<char>(i);
    const std::string shown = in_backticks(std::string_view(&c, 1));
    const bool control = i < 0x20 || i == 0x7F;
    const bool marked = c == '`' || c == '\\';
    CHECK(shown.size() == (control ? 6U : marked ? 4U : 3U));
    for (const char s : shown) CHECK((s >= 0x20 && s < 0x7F));
  }
}

TEST_CASE("different inputs that are not cut are shown differently") {
  const std::vector<std::string> parts = {"", "`", "\\", "\n", "x0a", "\\n", "...", "a"};
  std::map<std::string, std::string> input_of;
  for (const auto& first : parts) {
    for (const auto& second : parts) {
      const std::string input = first + second;
      const auto [it, inserted] = input_of.emplace(in_backticks(input), input);
      CAPTURE(it->first);
      CHECK(it->second == input);
    }
  }
}

TEST_CASE("what is longer than the limit is cut with three dots") {
  const std::string fits(max_shown_bytes, 'a');
  CHECK(in_backticks(fits) == "`" + fits + "`");
  CHECK(in_backticks(fits + "b") == "`" + fits + "...`");
  CHECK(in_backticks(fits + std::string(100000, 'b')) == "`" + fits + "...`");
}

TEST_CASE("the limit counts bytes of the input, before they are escaped") {
  const std::string fits(max_shown_bytes, '\n');
  std::string shown = "`";
  for (std::size_t i = 0; i < max_shown_bytes; ++i) shown += "\\x0a";
  CHECK(in_backticks(fits) == shown + "`");
  CHECK(in_backticks(fits + "\n") == shown + "...`");
}

TEST_CASE("a cut is never inside a UTF-8 sequence") {
  struct Case {
    std::string name;
    std::string_view sequence;
  };
  const Case cases[] = {{"two bytes", "\xC3\xA9"},
                        {"three bytes", "\xE2\x82\xAC"},
                        {"four bytes", "\xF0\x9F\x98\x80"}};
  for (const Case& c : cases) {
    for (std::size_t inside = 0; inside <= c.sequence.size(); ++inside) {
      CAPTURE(c.name);
      CAPTURE(inside);
      const std::string before(max_shown_bytes - inside, 'a');
      const bool whole = inside == c.sequence.size();
      const std::string shown = before + (whole ? std::string(c.sequence) : "");
      CHECK(in_backticks(before + std::string(c.sequence) + "bcd") == "`" + shown + "...`");
    }
  }
}

TEST_CASE("bytes that are no UTF-8 are cut as well") {
  const std::string stray(max_shown_bytes + 100, '\x80');
  CHECK(in_backticks(stray) == "`...`");  // it could all be one sequence
}

TEST_CASE("names are listed with commas and a last and") {
  CHECK(in_backticks(Names{}) == "");
  CHECK(in_backticks(Names{"a"}) == "`a`");
  CHECK(in_backticks(Names{"a", "b"}) == "`a` and `b`");
  CHECK(in_backticks(Names{"a", "b", "c"}) == "`a`, `b` and `c`");
  CHECK(in_backticks(Names{"", "a`b"}) == "`` and `a\\`b`");
}

TEST_CASE("of many names the first are listed, and how many more there are") {
  static_assert(max_shown_names == 5);
  std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  CHECK(in_backticks(Names(names)) == "`a`, `b`, `c`, `d` and `e`");
  CHECK(in_backticks(Names(names, 55)) == "`a`, `b`, `c`, `d`, `e` and 55 more");
  CHECK(in_backticks(Names(std::vector<std::string>{"a"}, 1)) == "`a` and 1 more");
  names.push_back("f");
  CHECK(in_backticks(Names(names)) == "`a`, `b`, `c`, `d`, `e` and 1 more");
  CHECK(in_backticks(Names(std::vector<std::string>(60, "x"))) ==
        "`x`, `x`, `x`, `x`, `x` and 55 more");
}

TEST_CASE("names that are too long together are fewer, and the first is always there") {
  const std::string half(max_shown_bytes / 2, 'x');
  const std::string quoted = "`" + half + "`";
  CHECK(in_backticks(Names{half, half}) == quoted + " and " + quoted);
  CHECK(in_backticks(Names{half, half, "y"}) == quoted + ", " + quoted + " and 1 more");
  CHECK(in_backticks(Names{half + half + "y", "z"}) == "`" + half + half + "...` and 1 more");
}

TEST_CASE("separators and backslashes of a part are escaped") {
  CHECK(escaped("", ",=") == "");
  CHECK(escaped("a-b", ",=") == "a-b");
  CHECK(escaped("a@b", "@") == "a\\@b");
  CHECK(escaped("a,b=c", ",=") == "a\\,b\\=c");
  CHECK(escaped("a,b=c", "") == "a,b=c");
  CHECK(escaped("\\", "") == "\\\\");
  CHECK(escaped("\\,", ",") == "\\\\\\,");
  std::string text = "key=";
  append_escaped(text, "=", "=");
  CHECK(text == "key=\\=");
}

TEST_CASE("joined parts can be told apart") {
  const std::vector<std::string> parts = {"", ",", "\\", "\\,", "a", "a,"};
  std::map<std::string, std::pair<std::string, std::string>> parts_of;
  for (const auto& first : parts) {
    for (const auto& second : parts) {
      const auto both = std::pair(first, second);
      const auto [it, inserted] =
          parts_of.emplace(escaped(first, ",") + "," + escaped(second, ","), both);
      CAPTURE(it->first);
      CHECK((it->second == both));
    }
  }
}

TEST_CASE("control characters beyond ASCII are escaped too, and nothing else of UTF-8 is") {
  CHECK(in_backticks("a\xC2\x9B"
                     "b") == "`a\\xc2\\x9bb`");
  CHECK(in_backticks("\xC2\x85") == "`\\xc2\\x85`");
  CHECK(in_backticks("\xC2\xA0\xC3\xA9") == "`\xC2\xA0\xC3\xA9`");
  CHECK(in_backticks("\xC2\x9F\xC2\x80") == "`\\xc2\\x9f\\xc2\\x80`");
}

TEST_CASE("no text breaks a line, or turns it round, by a character of Unicode") {
  struct Case {
    const char* name;
    std::string_view input;
    std::string_view shown;
  };
  const Case cases[] = {
      {"a line separator", "a\u2028b", "`a\\xe2\\x80\\xa8b`"},
      {"a paragraph separator", "\u2029", "`\\xe2\\x80\\xa9`"},
      {"the Arabic letter mark", "\u061c", "`\\xd8\\x9c`"},
      {"the marks of left to right, right to left", "\u200e\u200f",
       "`\\xe2\\x80\\x8e\\xe2\\x80\\x8f`"},
      {"the first embedding", "\u202a", "`\\xe2\\x80\\xaa`"},
      {"the override from right to left", "\u202e", "`\\xe2\\x80\\xae`"},
      {"the first isolate", "\u2066", "`\\xe2\\x81\\xa6`"},
      {"the end of an isolate", "\u2069", "`\\xe2\\x81\\xa9`"},
      {"their neighbours", "\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a",
       "`\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a`"},
      {"half of one", "\xE2\x80", "`\xE2\x80`"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(in_backticks(c.input) == c.shown);
  }
  CHECK(schedpol::unprintable_bytes("") == 0);
  CHECK(schedpol::unprintable_bytes("\u2028b") == 3);
  CHECK(schedpol::unprintable_bytes("b\u2028") == 0);
}

TEST_CASE("the first byte of a control character beyond ASCII, alone or last, is shown as it is") {
  const std::string lone = "\xC2";
  CHECK(escaped(lone, "") == lone);
  CHECK(escaped("a" + lone, "") == "a" + lone);
  CHECK(escaped(std::string_view("\xC2\x9B", 1), "") == lone);
  CHECK(in_backticks(lone) == "`" + lone + "`");
  CHECK(escaped("\xC2\xC2\x85", "") == lone + "\\xc2\\x85");
}

TEST_CASE("escaped parts stay on one line and stay different") {
  const auto escaped = [](std::string_view part) {
    std::string text;
    append_escaped(text, part, ",");
    return text;
  };
  CHECK(escaped("a\nb") == "a\\x0ab");
  CHECK(escaped("a\x7F,") == "a\\x7f\\,");
  CHECK(escaped("a\\x0ab") == "a\\\\x0ab");
  CHECK(escaped("a,b") == "a\\,b");
}

}  // namespace quoting_test
