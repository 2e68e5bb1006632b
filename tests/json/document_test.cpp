// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/document.hpp>

#include "../support/count_allocations.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/json/decode.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace document_test {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::Labels;
using schedpol::json::Document;
using schedpol::json::DocumentProblem;
using schedpol::testing::operator""_path;

static_assert(!std::is_copy_constructible_v<Document>);
static_assert(!std::is_copy_assignable_v<Document>);

// `good`, or the problem and the field of its error.
std::string outcome(std::string_view bytes) {
  Document document;
  if (document.parse(bytes)) return "good";
  std::string text;
  switch (document.problem().value()) {
    case DocumentProblem::invalid_json: text = "invalid JSON"; break;
    case DocumentProblem::duplicate_key: text = "duplicate key"; break;
    case DocumentProblem::limit_exceeded: text = "limit exceeded"; break;
  }
  const std::string field = to_string(document.error().field);
  return text + (field.empty() ? "" : " at " + field);
}

std::string nested(std::string_view open, std::string_view close, std::size_t levels,
                   std::string_view inside = "7") {
  std::string text;
  for (std::size_t i = 0; i < levels; ++i) text += open;
  text += inside;
  for (std::size_t i = 0; i < levels; ++i) text += close;
  return text;
}

// Documents whose keys are few and alike, so that some come twice, and now and then an object of
// more keys than are compared one by one.
class DocumentGenerator : public schedpol::testing::Random {
 public:
  using Random::Random;

  std::string document() {
    has_duplicate_ = false;
    return object(3);
  }
  [[nodiscard]] bool has_duplicate() const { return has_duplicate_; }

 private:
  std::string text() {
    std::string text(below(below(2) == 0 ? 3 : 10), 'a');
    for (std::size_t i = 0; i < 2 && !text.empty(); ++i)
      text[below(text.size())] = static_cast<char>('a' + below(3));
    return text;
  }

  std::string value(std::size_t levels) {
    const std::size_t kind = below(levels > 0 ? 9 : 6);
    if (kind < 3) return '"' + text() + '"';
    if (kind == 3) return std::to_string(below(2000)) + (below(2) == 0 ? ".5" : "");
    if (kind == 4) return below(2) == 0 ? "-" + std::to_string(below(9)) : "18446744073709551615";
    if (kind == 5) return below(2) == 0 ? "null" : "true";
    return kind == 6 ? list(levels) : object(levels);
  }

  std::string list(std::size_t levels) {
    std::string text = "[";
    for (std::size_t i = below(4); i > 0; --i) text += value(levels - 1) + (i > 1 ? "," : "");
    return text + "]";
  }

  std::string object(std::size_t levels) {
    std::string text = "{";
    std::set<std::string> keys;
    const bool is_large = below(20) == 0;
    for (std::size_t i = is_large ? 25 + below(20) : below(5); i > 0; --i) {
      const std::string key = this->text() + (is_large ? std::to_string(below(300)) : "");
      if (!keys.insert(key).second) has_duplicate_ = true;
      text += '"' + key + "\":" + value(levels - 1) + (i > 1 ? "," : "");
    }
    return text + "}";
  }

  bool has_duplicate_ = false;
};

TEST_CASE("a document is whole and valid JSON in UTF-8") {
  struct Case {
    const char* name;
    std::string_view bytes;
    const char* outcome;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"object", R"({"a": [1, 2.5, "x", true, null]})", "good"},
      {"list", "[]", "good"},
      {"scalar", "5", "good"},
      {"white space around it", " \t\r\n{} \n", "good"},
      {"other scripts", R"({"\u00fc": "\u00fc", "emoji": "\ud83d\ude00"})", "good"},
      {"empty", "", "invalid JSON"},
      {"white space alone", " \n ", "invalid JSON"},
      {"words", "kind: Pod", "invalid JSON"},
      {"unclosed object", R"({"a": 1)", "invalid JSON"},
      {"unclosed list", R"([1, 2)", "invalid JSON"},
      {"unclosed string", R"({"a": "b)", "invalid JSON"},
      {"trailing comma", R"({"a": 1,})", "invalid JSON"},
      {"two documents", "{} {}", "invalid JSON"},
      {"something after it", "{} x", "invalid JSON"},
      {"comment", "{} // none", "invalid JSON"},
      {"single quotes", "{'a': 1}", "invalid JSON"},
      {"bare key", "{a: 1}", "invalid JSON"},
      {"leading zero", "[01]", "invalid JSON"},
      {"plus sign", "[+1]", "invalid JSON"},
      {"not a number", "[NaN]", "invalid JSON"},
      {"misspelt word", "[True]", "invalid JSON"},
      {"a number that no double holds", "[1e400]", "good"},
      {"control character in a string", "[\"a\nb\"]", "invalid JSON"},
      {"zero byte", "{}\0"sv, "invalid JSON"},
      {"unknown escape", R"(["\x"])", "invalid JSON"},
      {"lone low surrogate", R"(["\udc00"])", "invalid JSON"},
      {"lone high surrogate", R"(["\ud800"])", "invalid JSON"},
      {"high surrogate and no low one", R"(["\ud800\u0041"])", "invalid JSON"},
      {"stray continuation byte", "[\"\x80\"]", "invalid JSON"},
      {"cut sequence", "[\"\xC3\"]", "invalid JSON"},
      {"overlong sequence", "[\"\xC0\xAF\"]", "invalid JSON"},
      {"surrogate in UTF-8", "[\"\xED\xA0\x80\"]", "invalid JSON"},
      {"beyond Unicode", "[\"\xF4\x90\x80\x80\"]", "invalid JSON"},
      {"UTF-16", "{\0}\0"sv, "invalid JSON"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome(c.bytes) == c.outcome);
  }
}

TEST_CASE("a key that is there twice makes a document invalid, wherever it is") {
  struct Case {
    const char* name;
    const char* bytes;
    const char* outcome;
  };
  constexpr Case cases[] = {
      {"at the top", R"({"a": 1, "b": 2, "a": 1})", "duplicate key at a"},
      {"below", R"({"spec": {"allowed": {"x": 1, "x": 2}}})", "duplicate key at spec.allowed.x"},
      {"in a list", R"({"a": [{}, {"b": 1, "b": 2}]})", "duplicate key at a[1].b"},
      {"in a list at the top", R"([[], [{"b": 1, "b": 2}]])", "duplicate key at [1][0].b"},
      {"spelled with an escape", R"({"ab": 1, "\u0061b": 2})", "duplicate key at ab"},
      {"the empty key", R"({"a": {"": 1, "": 2}})", "duplicate key at a."},
      {"not next to each other", R"({"z": 1, "a": 2, "m": 3, "a": 4})", "duplicate key at a"},
      {"the same key elsewhere", R"({"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]})", "good"},
      {"the empty key before other texts", R"({"": "x", "b": {"": "long"}, "": 2})",
       "duplicate key"},
      {"one letter before other texts", R"({"k": "x", "b": "long", "k": ""})",
       "duplicate key at k"},
      {"three letters before other texts", R"({"key": [], "b": 1, "key": "x"})",
       "duplicate key at key"},
      {"four letters before other texts", R"({"keys": [], "b": 1, "keys": "x"})",
       "duplicate key at keys"},
      {"after numbers and words",
       R"({"a": 1, "b": -2, "c": 0.5, "d": null, "e": true, "a": false})", "duplicate key at a"},
      {"texts like keys", R"({"a": "a", "b": ["b", "b", {"b": "b"}], "c": "a"})", "good"},
      {"keys that differ in case", R"({"a": 1, "A": 2})", "good"},
      {"behind a number of 64 bits", R"({"n": 9007199254740992000, "op": "x", "op": "x"})",
       "duplicate key at op"},
      {"behind one that is below zero", R"({"n": -9007199254740992000, "op": "x", "op": "x"})",
       "duplicate key at op"},
      {"behind one of 64 bits without a sign",
       R"({"n": 18446744073709551615, "op": "x", "op": "x"})", "duplicate key at op"},
      {"behind a double", R"({"n": 1e295, "op": "x", "op": "x"})", "duplicate key at op"},
      {"behind an empty list and an empty object", R"({"l": [], "o": {}, "op": 1, "op": 2})",
       "duplicate key at op"},
      {"of two that are there twice the first in byte order", R"({"z": 1, "b": 1, "z": 2, "b": 2})",
       "duplicate key at b"},
      {"a key with a dot", R"({"a": {"b.c": 1, "b.c": 2}})", "duplicate key at a.b.c"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome(c.bytes) == c.outcome);
  }
  Document document;
  REQUIRE(!document.parse(R"({"a":1,"a":1})"));
  CHECK(document.error() ==
        FieldError{ErrorType::duplicate, "a"_path, "", "the key is there more than once"});
}

TEST_CASE("a large object is searched too, each of its keys") {
  for (const std::size_t size : {31U, 32U, 33U, 34U, 100U, 1000U}) {
    const auto object = [&](std::size_t twice) {
      std::string text = "{";
      for (std::size_t i = 0; i < size; ++i)
        text += "\"key" + std::to_string(i * 7919 % size) + "\":0,";
      return text + "\"" + (twice < size ? "key" + std::to_string(twice) : "other") + "\":[]}";
    };
    CAPTURE(size);
    CHECK(outcome(object(size)) == "good");
    for (std::size_t twice = 0; twice < size; twice += 1 + size / 50)
      CHECK(outcome(object(twice)) == "duplicate key at key" + std::to_string(twice));
    CHECK(outcome("[" + object(size) + "," + object(1) + "]") == "duplicate key at [1].key1");
    CHECK(outcome(R"({"a":)" + object(size) + R"(,"b":1,"b":2})") == "duplicate key at b");
  }
}

TEST_CASE("law: a document is good exactly when no object of it has a key twice") {
  DocumentGenerator generate(1);
  constexpr int rounds = schedpol::testing::tries(20000);
  int good = 0;
  Document document;
  for (int round = 0; round < rounds; ++round) {
    const std::string bytes = generate.document();
    CAPTURE(bytes);
    REQUIRE(document.parse(bytes) != generate.has_duplicate());
    if (generate.has_duplicate()) REQUIRE(document.problem() == DocumentProblem::duplicate_key);
    good += generate.has_duplicate() ? 0 : 1;
  }
  CHECK(good >= rounds / 5);
  CHECK(good <= rounds * 9 / 10);
}

TEST_CASE("the first of several duplicate keys is the one inside") {
  CHECK(outcome(R"({"a": {"x": 1, "x": 2}, "a": 1})") == "duplicate key at a.x");
}

TEST_CASE("a document has a bounded number of bytes") {
  std::string text(schedpol::max_document_bytes, 'a');
  text.front() = '"';
  text.back() = '"';
  CHECK(outcome(text) == "good");
  text.insert(1, 1, 'a');
  CHECK(outcome(text) == "limit exceeded");
  Document document;
  REQUIRE(!document.parse(text));
  CHECK(document.error().type == ErrorType::too_long);
  // What is too long is not looked at.
  CHECK(outcome(std::string(schedpol::max_document_bytes + 1, '\xFF')) == "limit exceeded");
}

TEST_CASE("a document has a bounded number of levels, whatever is in the innermost") {
  constexpr std::size_t limit = schedpol::max_document_depth;
  for (const std::string_view inside : {"7", "null", R"("text")", "", "1.5"}) {
    CAPTURE(inside);
    CHECK(outcome(nested("[", "]", limit, inside)) == "good");
    CHECK(outcome(nested("[", "]", limit + 1, inside)) == "limit exceeded");
    CHECK(outcome(R"({"a":)" + nested("[", "]", limit - 1, inside) + "}") == "good");
    CHECK(outcome(R"({"a":)" + nested("[", "]", limit, inside) + "}") == "limit exceeded");
  }
  CHECK(outcome(nested(R"({"a":)", "}", limit)) == "good");
  CHECK(outcome(nested(R"({"a":)", "}", limit - 1, "{}")) == "good");
  CHECK(outcome(nested(R"({"a":)", "}", limit + 1)) == "limit exceeded");
  CHECK(outcome(nested(R"({"a":)", "}", limit, "{}")) == "limit exceeded");
  CHECK(outcome(nested("[", "]", 100000)) == "limit exceeded");
  CHECK(outcome(nested(R"([{"a":)", "}]", 50000)) == "limit exceeded");
  // The deepest is not the first.
  CHECK(outcome("[{}," + nested("[", "]", limit) + "]") == "limit exceeded");
  Document document;
  REQUIRE(!document.parse(nested("[", "]", limit + 1)));
  CHECK(document.error() ==
        FieldError{ErrorType::too_many, {}, "", "a document nests at most 256 levels"});
}

TEST_CASE("bytes need nothing after them, and may go once they are read") {
  const std::string buffer = R"(garbage{"a":"text"}garbage)";
  Document document;
  {
    const std::string copy(buffer);
    REQUIRE(document.parse(std::string_view(copy).substr(7, 12)));
  }
  const auto labels = schedpol::json::decode<Labels>(document);
  REQUIRE(labels);
  CHECK(*labels == Labels{{"a", "text"}});
}

TEST_CASE("one document reads another text after a good one and after a bad one") {
  using schedpol::json::decode;
  Document document;
  CHECK(document.problem() == DocumentProblem::invalid_json);
  CHECK(decode<Labels>(document).errors() ==
        std::vector<FieldError>{{ErrorType::invalid, {}, "", "not valid JSON: there is nothing"}});
  CHECK(document.parse(R"({"a": "1"})"));
  CHECK(!document.problem());
  CHECK(*decode<Labels>(document) == Labels{{"a", "1"}});
  CHECK(!document.parse(R"({"a": )"));
  CHECK(document.problem() == DocumentProblem::invalid_json);
  CHECK(!decode<Labels>(document));
  CHECK(!document.parse(nested("[", "]", 1000)));
  CHECK(document.problem() == DocumentProblem::limit_exceeded);
  CHECK(decode<Labels>(document).errors() == std::vector<FieldError>{document.error()});
  CHECK(!document.parse(R"({"a": "1", "a": "2"})"));
  CHECK(document.problem() == DocumentProblem::duplicate_key);
  CHECK(!decode<Labels>(document));
  CHECK(document.parse(R"({"a": "2"})"));
  CHECK(!document.problem());
  CHECK(*decode<Labels>(document) == Labels{{"a", "2"}});
}

TEST_CASE("where memory runs out while it is read, a document is not good") {
  const std::string longer = R"({"a": ")" + std::string(10'000, 'a') + R"("})";
  Document document;
  CHECK(document.parse(R"({"a": "1"})"));
  bool runs_out = false;
  {
    schedpol::testing::CountAllocations counted;
    if (!counted.fail(1)) return;
    try {
      static_cast<void>(document.parse(longer));
    } catch (const std::bad_alloc&) {
      runs_out = true;
    }
  }
  CHECK(runs_out);
  CHECK(document.problem() == DocumentProblem::invalid_json);
}

}  // namespace document_test
