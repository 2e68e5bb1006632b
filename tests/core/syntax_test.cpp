// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/limits.hpp>

#include "../support/print.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace syntax_test {

using schedpol::detail::label_key_problems;
using schedpol::detail::label_value_problems;
using schedpol::detail::subdomain_problems;
using namespace std::string_view_literals;

static_assert(schedpol::max_label_name_bytes == 63);
static_assert(schedpol::max_label_value_bytes == 63);
static_assert(schedpol::max_subdomain_bytes == 253);

using Problems = std::vector<std::string>;

struct Case {
  std::string name;
  std::string text;
  Problems problems;
};

std::string letters(std::size_t count, char letter = 'a') {
  return std::string(count, letter);
}

const char* const subdomain_syntax =
    "must consist of lower case alphanumerics, `-` or `.`, and start and end with an alphanumeric";
const char* const subdomain_length = "must be no more than 253 bytes";
const char* const name_syntax =
    "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an alphanumeric";
const char* const name_length = "name must be no more than 63 bytes";
const char* const name_empty = "name must not be empty";
const char* const value_syntax =
    "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
    "alphanumeric";
const char* const value_length = "must be no more than 63 bytes";

std::string of_prefix(const char* problem) {
  return std::string("prefix ") + problem;
}

TEST_CASE("a subdomain is lower case, dotted and at most 253 bytes") {
  const Case cases[] = {
      {"one letter", "a", {}},
      {"one digit", "0", {}},
      {"digits only", "1.2.3", {}},
      {"a domain", "node.kubernetes.io", {}},
      {"dashes inside", "a--b.c-d", {}},
      {"253 bytes", letters(253), {}},
      {"a part of more than 63 bytes", letters(64) + ".b", {}},
      {"254 bytes", letters(254), {subdomain_length}},
      {"empty", "", {subdomain_syntax}},
      {"upper case", "A", {subdomain_syntax}},
      {"upper case inside", "aBc", {subdomain_syntax}},
      {"254 bytes of upper case", letters(254, 'A'), {subdomain_length, subdomain_syntax}},
      {"a dot alone", ".", {subdomain_syntax}},
      {"a dot first", ".a", {subdomain_syntax}},
      {"a dot last", "a.", {subdomain_syntax}},
      {"two dots", "a..b", {subdomain_syntax}},
      {"a dash alone", "-", {subdomain_syntax}},
      {"a dash first", "-a", {subdomain_syntax}},
      {"a dash last", "a-", {subdomain_syntax}},
      {"a dash before a dot", "a-.b", {subdomain_syntax}},
      {"a dash after a dot", "a.-b", {subdomain_syntax}},
      {"an underscore", "a_b", {subdomain_syntax}},
      {"a slash", "a/b", {subdomain_syntax}},
      {"a colon", "sp:restricted", {subdomain_syntax}},
      {"a space", "a b", {subdomain_syntax}},
      {"a line feed last", "a\n", {subdomain_syntax}},
      {"a zero byte", std::string("a\0b"sv), {subdomain_syntax}},
      {"a letter beyond ASCII", "\xC3\xA9", {subdomain_syntax}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(subdomain_problems(c.text) == c.problems);
  }
}

TEST_CASE("a label key is a name after an optional subdomain and slash") {
  const Case cases[] = {
      {"one letter", "a", {}},
      {"upper case", "App", {}},
      {"digits only", "123", {}},
      {"dashes, underscores and dots inside", "a_b.c-d", {}},
      {"several of them in a row", "a-_.b", {}},
      {"a name of 63 bytes", letters(63), {}},
      {"a prefix", "kubernetes.io/arch", {}},
      {"a prefix of 253 bytes, a name of 63", letters(253) + "/" + letters(63), {}},
      {"a name of 64 bytes", letters(64), {name_length}},
      {"a name of 64 bytes after a prefix", "b/" + letters(64), {name_length}},
      {"a prefix of 254 bytes", letters(254) + "/a", {of_prefix(subdomain_length)}},
      {"a prefix in upper case", "A/b", {of_prefix(subdomain_syntax)}},
      {"a prefix with an underscore", "a_b/c", {of_prefix(subdomain_syntax)}},
      {"an empty prefix", "/a", {"prefix must not be empty"}},
      {"empty", "", {name_empty, name_syntax}},
      {"an empty name after a prefix", "a/", {name_empty, name_syntax}},
      {"a slash alone", "/", {"prefix must not be empty", name_empty, name_syntax}},
      {"two slashes", "a/b/c", {"must be a name with at most one prefix and slash before it"}},
      {"a dash first", "-a", {name_syntax}},
      {"a dash last", "a-", {name_syntax}},
      {"an underscore first", "_a", {name_syntax}},
      {"a dot last", "a.", {name_syntax}},
      {"a dot alone", ".", {name_syntax}},
      {"a space", "a b", {name_syntax}},
      {"a star", "*", {name_syntax}},
      {"an equals sign", "a=b", {name_syntax}},
      {"a line feed last", "a\n", {name_syntax}},
      {"a letter beyond ASCII", "caf\xC3\xA9", {name_syntax}},
      {"every problem of both halves",
       letters(254, 'A') + "/" + letters(64, '-'),
       {of_prefix(subdomain_length), of_prefix(subdomain_syntax), name_length, name_syntax}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(label_key_problems(c.text) == c.problems);
  }
}

TEST_CASE("a label value is empty or like a name, at most 63 bytes") {
  const Case cases[] = {
      {"empty", "", {}},
      {"one letter", "a", {}},
      {"upper case, digits, dashes, underscores and dots", "A1-b_c.D2", {}},
      {"a version", "6.1.0", {}},
      {"63 bytes", letters(63), {}},
      {"64 bytes", letters(64), {value_length}},
      {"64 dashes", letters(64, '-'), {value_length, value_syntax}},
      {"a slash", "a/b", {value_syntax}},
      {"a space", "a b", {value_syntax}},
      {"a space alone", " ", {value_syntax}},
      {"a dash first", "-1", {value_syntax}},
      {"a dash last", "a-", {value_syntax}},
      {"an underscore last", "a_", {value_syntax}},
      {"a dot alone", ".", {value_syntax}},
      {"a plus", "+1", {value_syntax}},
      {"a letter beyond ASCII", "\xC3\xA9", {value_syntax}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(label_value_problems(c.text) == c.problems);
  }
}

TEST_CASE("an ASCII character may stand in a label value only where its kind may") {
  for (int i = 0; i < 0x80; ++i) {
    CAPTURE(i);
    const char c = static_cast<char>(i);
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool inner = alphanumeric || c == '-' || c == '_' || c == '.';
    CHECK(label_value_problems(std::string{c}).empty() == alphanumeric);
    CHECK(label_value_problems(std::string{'a', c, 'b'}).empty() == inner);
    CHECK(label_value_problems(std::string{c, 'b'}).empty() == alphanumeric);
    CHECK(label_value_problems(std::string{'a', c}).empty() == alphanumeric);
  }
}

}  // namespace syntax_test
