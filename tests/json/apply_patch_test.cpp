// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/apply_patch.hpp>

#include <schedpol/core/limits.hpp>
#include "../support/json.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace apply_patch_test {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::FieldPath;
using schedpol::json::apply_patch;
using schedpol::json::Patch;
using schedpol::json::PatchOp;
using schedpol::testing::operator""_path;

// The document after one operation, or `refused` with the member of the operation that is wrong.
std::string applied(std::string_view document, PatchOp op, std::string_view path,
                    std::string_view value = "", std::string_view from = "") {
  const Patch patch = {{op, std::string(path), std::string(value), std::string(from)}};
  const auto result = apply_patch(document, patch);
  if (result) return *result;
  REQUIRE(result.errors().size() == 1);
  return "refused at " + to_string(result.errors().front().field);
}

// The same of a patch in JSON: what is refused, with its type.
std::string applied(std::string_view document, std::string_view patch) {
  const auto result = apply_patch(document, patch);
  if (result) return *result;
  REQUIRE(result.errors().size() == 1);
  const FieldError& error = result.errors().front();
  return std::string(to_string(error.type)).substr(std::string_view("FieldValue").size()) + " " +
         to_string(error.field);
}

struct Case {
  const char* document;
  PatchOp op;
  const char* path;
  const char* value;
  const char* after;
};

template <std::size_t N>
void check(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CAPTURE(c.path);
    CHECK(applied(c.document, c.op, c.path, c.value) == c.after);
  }
}

struct JsonCase {
  const char* name;
  const char* document;
  const char* patch;
  const char* after;
};

template <std::size_t N>
void check(const JsonCase (&cases)[N]) {
  for (const JsonCase& c : cases) {
    CAPTURE(c.name);
    CHECK(applied(c.document, c.patch) == c.after);
  }
}

std::string pointer(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += "/" + name;
  return text;
}

TEST_CASE("operations on documents") {
  constexpr Case cases[] = {
      {"{}", PatchOp::add, "/a", "1", R"({"a":1})"},
      {R"({"a":1})", PatchOp::add, "/b", "[]", R"({"a":1,"b":[]})"},
      {R"({"a":1})", PatchOp::add, "/a", "2", R"({"a":2})"},
      {"[]", PatchOp::add, "/-", "1", "[1]"},
      {"[]", PatchOp::add, "/0", "1", "[1]"},
      {"[1,2]", PatchOp::add, "/-", "3", "[1,2,3]"},
      {"[1,2]", PatchOp::add, "/2", "3", "[1,2,3]"},
      {"[1,2]", PatchOp::add, "/0", "3", "[3,1,2]"},
      {"[1,2]", PatchOp::add, "/1", "3", "[1,3,2]"},
      {"[1, 2]", PatchOp::replace, "/1", "3", "[1, 3]"},
      {R"({"a": {"b": 1}})", PatchOp::replace, "/a/b", "null", R"({"a": {"b": null}})"},
      {R"({"a": {"b": 1}})", PatchOp::replace, "/a", "5", R"({"a": 5})"},
      {R"({"a":1,"b":2,"c":3})", PatchOp::remove, "/a", "", R"({"b":2,"c":3})"},
      {R"({"a":1,"b":2,"c":3})", PatchOp::remove, "/b", "", R"({"a":1,"c":3})"},
      {R"({"a":1,"b":2,"c":3})", PatchOp::remove, "/c", "", R"({"a":1,"b":2})"},
      {R"({ "a" : 1 })", PatchOp::remove, "/a", "", R"({  })"},
      {R"({"a":1 })", PatchOp::remove, "/a", "", R"({ })"},
      {R"({ "a":1})", PatchOp::remove, "/a", "", R"({ })"},
      {R"({ "a" : 1 , "b" : 2 })", PatchOp::remove, "/b", "", R"({ "a" : 1 })"},
      {R"({ "a" : 1 , "b" : 2 })", PatchOp::remove, "/a", "", R"({ "b" : 2 })"},
      {"[ 1 , 2 ]", PatchOp::add, "/-", "3", "[ 1 , 2,3 ]"},
      {"[ 1 , 2 ]", PatchOp::add, "/1", "3", "[ 1 , 3,2 ]"},
      {"[ ]", PatchOp::add, "/0", "3", "[3 ]"},
      {"[]", PatchOp::add, "/-", " 3 ", "[3]"},
      {"[]", PatchOp::add, "/-", R"( {"a" : "b", "c" : "]"} )", R"([{"a" : "b", "c" : "]"}])"},
      {"[\t1\t,\n2\r]", PatchOp::replace, "/0", "3", "[\t3\t,\n2\r]"},
      {"[\t1\t,\n2\r]", PatchOp::replace, "/1", "3", "[\t1\t,\n3\r]"},
      {"[1,2,3]", PatchOp::remove, "/0", "", "[2,3]"},
      {"[1,2,3]", PatchOp::remove, "/2", "", "[1,2]"},
      {R"({"":{"":1}})", PatchOp::replace, "//", "2", R"({"":{"":2}})"},
      {R"({"a/b":{"c~d":1}})", PatchOp::replace, "/a~1b/c~0d", "2", R"({"a/b":{"c~d":2}})"},
      {R"({"~1":1,"/":2})", PatchOp::remove, "/~01", "", R"({"/":2})"},
      {R"({"a\"b":1})", PatchOp::replace, "/a\"b", "2", R"({"a\"b":2})"},
      {"{}", PatchOp::add, "/a\"b", "2", R"({"a\"b":2})"},
      {R"({"a":[{"b":1},{"b":[2]}]})", PatchOp::add, "/a/1/b/-", "3",
       R"({"a":[{"b":1},{"b":[2,3]}]})"},
      {R"({"0":1})", PatchOp::replace, "/0", "2", R"({"0":2})"},
      {R"({"-":1})", PatchOp::replace, "/-", "2", R"({"-":2})"},
      {R"({"a":"{}[],:\"\\"})", PatchOp::add, "/b", "1", R"({"a":"{}[],:\"\\","b":1})"},
      {R"({"\u0061\n\u00e9\ud83d\ude00\/\\\t":1})", PatchOp::replace,
       "/a\n\xC3\xA9\xF0\x9F\x98\x80~1\\\t", "2", R"({"\u0061\n\u00e9\ud83d\ude00\/\\\t":2})"},
      {R"({"\u0061bc":1,"a":2})", PatchOp::remove, "/abc", "", R"({"a":2})"},
      // Characters of two, three and four bytes, the first and last of each.
      {R"({"\u0080\u07ff\u0800\u20ac\uffff\ud800\udc00\udbff\udfff":1})", PatchOp::remove,
       "/\xC2\x80\xDF\xBF\xE0\xA0\x80\xE2\x82\xAC\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF", "",
       "{}"},
  };
  check(cases);
}

TEST_CASE("the empty pointer is the whole document") {
  constexpr Case cases[] = {
      {R"( {"a":1} )", PatchOp::add, "", "[2]", " [2] "},
      {"5", PatchOp::replace, "", "{}", "{}"},
      {"5", PatchOp::test, "", "5.0", "5"},
      {"5", PatchOp::test, "", "6", "refused at patch[0].path"},
      {"{}", PatchOp::remove, "", "", "refused at patch[0].path"},
  };
  check(cases);
  CHECK(applied(R"({"a":[1]})", PatchOp::copy, "", "", "/a") == "[1]");
  CHECK(applied(R"({"a":[1]})", PatchOp::move, "", "", "/a") == "[1]");
  CHECK(applied(R"({"a":1})", PatchOp::copy, "/b", "", "") == R"({"a":1,"b":{"a":1}})");
  CHECK(applied(R"({"a":1})", PatchOp::move, "/b", "", "") == "refused at patch[0].path");
  CHECK(applied(R"({"a":1})", PatchOp::move, "", "", "") == R"({"a":1})");
  CHECK(applied("1", R"([{"op":"add","path":"","value":{}},{"op":"add","path":"/a","value":1}])") ==
        R"({"a":1})");
}

TEST_CASE("an operation whose target is not there is refused") {
  constexpr Case cases[] = {
      {"{}", PatchOp::replace, "/a", "1", ""},
      {"{}", PatchOp::remove, "/a", "1", ""},
      {"{}", PatchOp::test, "/a", "null", ""},
      {R"({"a":1})", PatchOp::remove, "/A", "1", ""},
      {"{}", PatchOp::add, "/a/b", "1", ""},
      {R"({"a":null})", PatchOp::add, "/a/b", "1", ""},
      {R"({"a":"text"})", PatchOp::add, "/a/b", "1", ""},
      {R"({"a":5})", PatchOp::add, "/a/b", "1", ""},
      {R"({"a":5})", PatchOp::add, "/a/-", "1", ""},
      {R"({"a":"text"})", PatchOp::add, "/a/0", "1", ""},
      {"{}", PatchOp::remove, "/a/b", "", ""},
      {"[1,2]", PatchOp::replace, "/2", "1", ""},
      {"[1,2]", PatchOp::remove, "/2", "1", ""},
      {"[1,2]", PatchOp::remove, "/-", "1", ""},
      {"[1,2]", PatchOp::replace, "/-", "1", ""},
      {"[1,2]", PatchOp::test, "/-", "1", ""},
      {"[1,2]", PatchOp::add, "/3", "1", ""},
      {"[1,2]", PatchOp::add, "/a", "1", ""},
      {"[1,2]", PatchOp::add, "/", "1", ""},
      {"[1,2]", PatchOp::add, "/-1", "1", ""},
      {"[1,2]", PatchOp::add, "/+1", "1", ""},
      {"[1,2]", PatchOp::add, "/ 1", "1", ""},
      {"[1,2]", PatchOp::add, "/1x", "1", ""},
      {"[1,2]", PatchOp::add, "/01", "1", ""},
      {"[1,2]", PatchOp::replace, "/00", "1", ""},
      {"[1,2]", PatchOp::add, "/99999999999999999999999", "1", ""},
      {R"({"a":[{}]})", PatchOp::add, "/a/1/b", "1", ""},
      {R"({"a":[{}]})", PatchOp::add, "/a/-/b", "1", ""},
      {"{}", PatchOp::add, "a", "1", ""},
      {R"({"a~b":1})", PatchOp::replace, "/a~b", "1", ""},
      {R"({"a~2":1})", PatchOp::replace, "/a~2", "1", ""},
      {R"({"a/":1})", PatchOp::replace, "/a~2", "1", ""},
      {R"({"a~":1})", PatchOp::replace, "/a~", "1", ""},
      {"5", PatchOp::add, "/a", "1", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CAPTURE(c.path);
    CHECK(applied(c.document, c.op, c.path, c.value) == "refused at patch[0].path");
  }
}

TEST_CASE("operations are applied in their order, and the first that fails refuses the patch") {
  const Patch good = {{PatchOp::add, "/a", "{}"},
                      {PatchOp::add, "/a/b", "[1]"},
                      {PatchOp::add, "/a/b/-", "2"},
                      {PatchOp::remove, "/x"}};
  const auto result = apply_patch(R"({"x":1})", good);
  REQUIRE(result);
  CHECK(*result == R"({"a":{"b":[1,2]}})");
  const Patch bad = {{PatchOp::add, "/a", "{}"}, {PatchOp::remove, "/b"}, {PatchOp::remove, "/c"}};
  CHECK(apply_patch("{}", bad).errors() ==
        std::vector<FieldError>{
            {ErrorType::invalid, "patch[1].path"_path, "/b", "there is nothing at this place"}});
}

TEST_CASE("what is wrong with an operation is said in words") {
  const auto detail = [](const Patch& patch) {
    const auto result = apply_patch(R"({"a":{"b":1}})", patch);
    return result ? "good" : result.errors().front().detail;
  };
  CHECK(detail({{PatchOp::add, "a/b", "1"}}) ==
        "must be a JSON Pointer: names that each begin with a slash, ~0 for ~ and ~1 for /");
  CHECK(detail({{PatchOp::add, "/x/y", "1"}}) == "nothing can be put at this place");
  CHECK(detail({{PatchOp::replace, "/x", "1"}}) == "there is nothing at this place");
  CHECK(detail({{PatchOp::remove, ""}}) == "the whole document cannot be removed");
  CHECK(detail({{PatchOp::test, "/a/b", "2"}}) == "there is another value at this place");
  CHECK(detail({{PatchOp::move, "/a/b/c", "", "/a"}}) == "a value cannot be moved into itself");
}

TEST_CASE("a value that is no JSON, or has a key twice, is refused with its operation") {
  for (const char* value : {"", "x", "{", "1 2", "{} x", "[1,]", "\xFF", "tru"}) {
    CAPTURE(value);
    for (const PatchOp op : {PatchOp::add, PatchOp::replace, PatchOp::test})
      CHECK(applied(R"({"a":1})", op, "/a", value) == "refused at patch[0].value");
    CHECK(applied(R"({"a":1})", PatchOp::remove, "/a", value) == "{}");
  }
  CHECK(applied("{}", PatchOp::add, "/a", R"({"x":{"k":1,"k":2}})") ==
        "refused at patch[0].value.x.k");
  CHECK(applied("{}", PatchOp::add, "/a", " [ 1 ] ") == R"({"a":[ 1 ]})");
}

TEST_CASE("only a document can be patched") {
  const Patch nothing;
  const Patch replace_b = {{PatchOp::replace, "/b", "9"}};
  for (const char* text : {"", "garbage", "{", R"({"b":1} x)", R"({"a":1 "b":2})",
                           R"({"a":tru,"b":1})", R"({"b":1,"b":2})"}) {
    CAPTURE(text);
    CHECK_FALSE(apply_patch(text, nothing));
    CHECK_FALSE(apply_patch(text, replace_b));
    CHECK_FALSE(apply_patch(text, "[]"));
    // What is wrong with the document is said before what is wrong with the patch.
    CHECK(apply_patch(text, "no patch").errors() == apply_patch(text, nothing).errors());
  }
  CHECK(*apply_patch(" [1,2] ", nothing) == " [1,2] ");
  CHECK(*apply_patch(" [1,2] ", " [ ] ") == " [1,2] ");
}

// RFC 6902, appendix A, by its numbers.
TEST_CASE("the examples of the RFC") {
  constexpr JsonCase cases[] = {
      {"A.1 a member added", R"({"foo":"bar"})", R"([{"op":"add","path":"/baz","value":"qux"}])",
       R"({"foo":"bar","baz":"qux"})"},
      {"A.2 an item added", R"({"foo":["bar","baz"]})",
       R"([{"op":"add","path":"/foo/1","value":"qux"}])", R"({"foo":["bar","qux","baz"]})"},
      {"A.3 a member removed", R"({"baz":"qux","foo":"bar"})", R"([{"op":"remove","path":"/baz"}])",
       R"({"foo":"bar"})"},
      {"A.4 an item removed", R"({"foo":["bar","qux","baz"]})",
       R"([{"op":"remove","path":"/foo/1"}])", R"({"foo":["bar","baz"]})"},
      {"A.5 a value replaced", R"({"baz":"qux","foo":"bar"})",
       R"([{"op":"replace","path":"/baz","value":"boo"}])", R"({"baz":"boo","foo":"bar"})"},
      {"A.6 a value moved", R"({"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}})",
       R"([{"op":"move","from":"/foo/waldo","path":"/qux/thud"}])",
       R"({"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}})"},
      {"A.7 an item moved", R"({"foo":["all","grass","cows","eat"]})",
       R"([{"op":"move","from":"/foo/1","path":"/foo/3"}])",
       R"({"foo":["all","cows","eat","grass"]})"},
      {"A.8 tests that hold", R"({"baz":"qux","foo":["a",2,"c"]})",
       R"([{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}])",
       R"({"baz":"qux","foo":["a",2,"c"]})"},
      {"A.9 a test that does not", R"({"baz":"qux"})",
       R"([{"op":"test","path":"/baz","value":"bar"}])", "Invalid patch[0].path"},
      {"A.10 a nested member", R"({"foo":"bar"})",
       R"([{"op":"add","path":"/child","value":{"grandchild":{}}}])",
       R"({"foo":"bar","child":{"grandchild":{}}})"},
      {"A.11 unknown members", R"({"foo":"bar"})",
       R"([{"op":"add","path":"/baz","value":"qux","xyz":123}])", R"({"foo":"bar","baz":"qux"})"},
      {"A.12 a target that is not there", R"({"foo":"bar"})",
       R"([{"op":"add","path":"/baz/bat","value":"qux"}])", "Invalid patch[0].path"},
      {"A.13 an operation with a key twice", "{}",
       R"([{"op":"add","path":"/baz","value":"qux","op":"remove"}])", "Duplicate patch[0].op"},
      {"A.14 an escaped slash and tilde", R"({"/":9,"~1":10})",
       R"([{"op":"test","path":"/~01","value":10}])", R"({"/":9,"~1":10})"},
      {"A.15 texts and numbers", R"({"/":9,"~1":10})",
       R"([{"op":"test","path":"/~01","value":"10"}])", "Invalid patch[0].path"},
      {"A.16 a list added to a list", R"({"foo":["bar"]})",
       R"([{"op":"add","path":"/foo/-","value":["abc","def"]}])",
       R"({"foo":["bar",["abc","def"]]})"},
  };
  check(cases);
}

TEST_CASE("what is no patch is refused, with the place in it") {
  constexpr JsonCase cases[] = {
      {"no JSON", "{}", "[", "Invalid patch"},
      {"an object", "{}", R"({"op":"remove","path":"/a"})", "TypeInvalid patch"},
      {"no object", "{}", R"([5])", "TypeInvalid patch[0]"},
      {"no op", "{}", R"([{"path":"/a"}])", "Required patch[0].op"},
      {"op no text", "{}", R"([{"op":null,"path":"/a"}])", "TypeInvalid patch[0].op"},
      {"an unknown op", "{}", R"([{"op":"spam","path":"/a"}])", "NotSupported patch[0].op"},
      {"op in other case", "{}", R"([{"op":"Add","path":"/a","value":1}])",
       "NotSupported patch[0].op"},
      {"no path", "{}", R"([{"op":"remove"}])", "Required patch[0].path"},
      {"path no text", "{}", R"([{"op":"remove","path":["a"]}])", "TypeInvalid patch[0].path"},
      {"no value", "{}", R"([{"op":"add","path":"/a"}])", "Required patch[0].value"},
      {"no value to replace", R"({"a":1})", R"([{"op":"replace","path":"/a"}])",
       "Required patch[0].value"},
      {"no value to test", R"({"a":1})", R"([{"op":"test","path":"/a"}])",
       "Required patch[0].value"},
      {"a value that is null", "{}", R"([{"op":"add","path":"/a","value":null}])", R"({"a":null})"},
      {"no from", "{}", R"([{"op":"move","path":"/a"}])", "Required patch[0].from"},
      {"from no text", "{}", R"([{"op":"copy","path":"/a","from":1}])",
       "TypeInvalid patch[0].from"},
      {"from nowhere", R"({"b":1})", R"([{"op":"copy","path":"/a","from":"/c"}])",
       "Invalid patch[0].from"},
      {"from no pointer", R"({"b":1})", R"([{"op":"move","path":"/a","from":"b"}])",
       "Invalid patch[0].from"},
      {"the second", R"({"b":1})", R"([{"op":"remove","path":"/b"},{"op":"remove","path":"/b"}])",
       "Invalid patch[1].path"},
      {"an error in the second, though the first fails too", "{}",
       R"([{"op":"remove","path":"/b"},{"op":"remove"}])", "Required patch[1].path"},
      {"escapes in a pointer", R"({"a\"b":{"c/d":1}})",
       R"([{"op":"remove","path":"/a\"b/c~1\u0064"}])", R"({"a\"b":{}})"},
  };
  check(cases);
  CHECK(apply_patch("{}", R"([{"op":"spam","path":""}])").errors() ==
        std::vector<FieldError>{{ErrorType::not_supported, "patch[0].op"_path, "spam",
                                 "supported are add, remove, replace, move, copy, test"}});
}

TEST_CASE("values are moved and copied, a copy no longer follows what it was made of") {
  constexpr JsonCase cases[] = {
      {"moved to itself", R"({"a":[1]})", R"([{"op":"move","from":"/a","path":"/a"}])",
       R"({"a":[1]})"},
      {"moved into itself", R"({"a":{"b":{}}})", R"([{"op":"move","from":"/a","path":"/a/b/c"}])",
       "Invalid patch[0].path"},
      {"moved beside a longer name", R"({"a":1,"ab":{}})",
       R"([{"op":"move","from":"/a","path":"/ab/c"}])", R"({"ab":{"c":1}})"},
      {"moved over another", R"({"a":1,"b":2})", R"([{"op":"move","from":"/a","path":"/b"}])",
       R"({"b":1})"},
      {"moved behind itself in a list", "[1,2,3]", R"([{"op":"move","from":"/0","path":"/-"}])",
       "[2,3,1]"},
      {"moved beyond the list that is left", "[1,2,3]",
       R"([{"op":"move","from":"/0","path":"/3"}])", "Invalid patch[0].path"},
      {"moved and changed", R"({"a":{"b":[1]},"c":{}})",
       R"([{"op":"add","path":"/a/b/0","value":0},{"op":"move","from":"/a/b","path":"/c/d"},)"
       R"({"op":"remove","path":"/c/d/1"}])",
       R"({"a":{},"c":{"d":[0]}})"},
      {"the copy changes", R"({"a":{"b":1}})",
       R"([{"op":"copy","from":"/a","path":"/c"},{"op":"replace","path":"/c/b","value":2}])",
       R"({"a":{"b":1},"c":{"b":2}})"},
      {"the original changes", R"({"a":{"b":1}})",
       R"([{"op":"copy","from":"/a","path":"/c"},{"op":"remove","path":"/a/b"}])",
       R"({"a":{},"c":{"b":1}})"},
      {"a copy of what was changed", R"({"a":[1]})",
       R"([{"op":"add","path":"/a/-","value":2},{"op":"copy","from":"/a","path":"/a/0"}])",
       R"({"a":[[1,2],1,2]})"},
      {"a copy into itself", R"({"a":{}})", R"([{"op":"copy","from":"/a","path":"/a/a"}])",
       R"({"a":{"a":{}}})"},
      {"emptied and filled", "[ 1 , 2 ]",
       R"([{"op":"remove","path":"/0"},{"op":"remove","path":"/0"},)"
       R"({"op":"add","path":"/0","value":3},{"op":"add","path":"/0","value":4}])",
       "[4,3  ]"},
  };
  check(cases);
}

TEST_CASE("test compares what values mean, not how they are written") {
  struct TestCase {
    const char* one;
    const char* other;
    bool equal;
  };
  constexpr TestCase cases[] = {
      {"1", "1.0", true},
      {"100", "1e2", true},
      {"100", "1.0E+2", true},
      {"0.001", "1e-3", true},
      {"-0", "0", true},
      {"-0.0e5", "0", true},
      {"1", "-1", false},
      {"10", "1", false},
      {"1.10", "1.1", true},
      {"9007199254740993", "9007199254740992", false},
      {"0.1", "0.10000000000000001", false},
      {"1e-999999999999999999999", "1e-1000000000000000000000", true},  // as far as can be told
      {"1e-999999999999999999999", "1", false},
      {"1", R"("1")", false},
      {"true", "true", true},
      {"true", "false", false},
      {"null", "false", false},
      {R"("a")", R"("\u0061")", true},
      {R"("\u00e9\ud83d\ude00\/")", "\"\xC3\xA9\xF0\x9F\x98\x80/\"", true},
      {R"("a")", R"("A")", false},
      {"[1,2]", "[ 1.0 , 2 ]", true},
      {"[1,2]", "[2,1]", false},
      {"[1,2]", "[1]", false},
      {"[]", "{}", false},
      {R"({"a":1,"b":[{}]})", R"({ "\u0062":[{ }], "a":1e0 })", true},
      {R"({"a":1})", R"({"a":1,"b":1})", false},
      {R"({"a":1,"b":2})", R"({"a":1,"c":2})", false},
      {R"({"a":1,"b":2})", R"({"a":2,"b":2})", false},
      {R"({"a":1,"b":2})", R"({"a":1,"b":3})", false},
      {R"({"a":null})", "{}", false},
  };
  for (const TestCase& c : cases) {
    CAPTURE(c.one);
    CAPTURE(c.other);
    for (const auto& [here, there] : {std::pair(c.one, c.other), std::pair(c.other, c.one)}) {
      const std::string document = std::string(R"({"v":)") + here + "}";
      CHECK((applied(document, PatchOp::test, "/v", there) == document) == c.equal);
    }
  }
  CHECK(
      applied(R"({"a":{"b":[1,2]}})",
              R"([{"op":"remove","path":"/a/b/0"},{"op":"test","path":"/a","value":{"b":[2]}}])") ==
      R"({"a":{"b":[2]}})");
}

TEST_CASE("a list is compared by what is left of it, however much is gone") {
  std::string list = "[";
  std::string patch = "[";
  for (int i = 0; i < 2'000; ++i) {
    list += std::to_string(i) + (i < 1'999 ? "," : "]");
    if (i < 1'997) patch += R"({"op":"remove","path":"/0"},)";
  }
  const auto tested = [&](std::string_view left) {
    return applied(list, patch + R"({"op":"test","path":"","value":)" + std::string(left) + "}]");
  };
  CHECK(tested("[1997,1998,1999]") == "[1997,1998,1999]");
  CHECK(tested("[1997,1998,1]") == "Invalid patch[1997].path");
  CHECK(tested("[1997,1998]") == "Invalid patch[1997].path");
  // All of a long list is.
  std::string other = list;
  other.replace(other.size() - 2, 1, "8");
  CHECK(applied(list, PatchOp::test, "", list) == list);
  CHECK(applied(list, PatchOp::test, "", other) == "refused at patch[0].path");
}

TEST_CASE("items of a long list keep their order, wherever many are inserted") {
  std::string list = "[";
  std::string wanted = "[";
  Patch patch;
  for (int i = 0; i < 2'000; ++i) {
    const std::string item = std::to_string(i) + (i < 1'999 ? "," : "]");
    list += item;
    for (int j = 0; i == 100 && j < 2'000; ++j) {
      patch.push_back({PatchOp::add, "/100", std::to_string(-j)});
      wanted += std::to_string(j - 1'999) + ",";
    }
    wanted += item;
  }
  CHECK(*apply_patch(list, patch) == wanted);
}

TEST_CASE("what a patch makes is within the limits of a document") {
  const auto levels = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  constexpr std::size_t deepest = schedpol::max_document_depth;
  CHECK(applied("[]", PatchOp::add, "/0", levels(deepest - 1)) == levels(deepest));
  CHECK(applied("[]", PatchOp::add, "/0", levels(deepest)) == "refused at patch");
  CHECK(applied("[[]]", PatchOp::add, "/0/0", levels(deepest - 1)) == "refused at patch");
  // Too deep on the way, but not in the end.
  CHECK(applied(
            "[]", "[{\"op\":\"add\",\"path\":\"/0\",\"value\":" + levels(deepest - 2) +
                      "},{\"op\":\"add\",\"path\":\"/0" +
                      [] {
                        std::string path;
                        for (std::size_t i = 3; i < deepest; ++i) path += "/0";
                        return path;
                      }() +
                      "/0\",\"value\":[[[1]]]},{\"op\":\"replace\",\"path\":\"/0\","
                      "\"value\":5}]") == "[5]");
  // Too deep where it is moved to, once its innermost list was changed.
  const auto moved_below = [&](std::string_view to) {
    std::string innermost = "/a";
    for (std::size_t i = 2; i < deepest; ++i) innermost += "/0";
    return applied(R"({"a":)" + levels(deepest - 1) + R"(,"b":{}})",
                   R"([{"op":"add","path":")" + innermost +
                       R"(/-","value":1},{"op":"move","from":"/a","path":")" + std::string(to) +
                       R"("}])");
  };
  CHECK(moved_below("/c").starts_with(R"({"b":{},"c":[[)"));
  CHECK(moved_below("/b/c") == "TooMany patch");

  // A copy of all into itself doubles the document each time.
  std::string doubling = "[";
  for (int i = 0; i < 60; ++i) doubling += R"({"op":"copy","from":"","path":"/-"},)";
  doubling.back() = ']';
  CHECK(applied("[1]", doubling) == "TooLong patch[18].from");
  CHECK(apply_patch("[1]", doubling).errors()[0].detail ==
        "the copies of a patch copy at most as much as the document has, or 1048576 bytes");
  const std::string much = "[\"" + std::string(schedpol::max_copied_bytes * 2 / 3, 'a') + "\"]";
  CHECK(applied(much, R"([{"op":"copy","from":"/0","path":"/-"},)"
                      R"({"op":"copy","from":"/0","path":"/-"}])") == "TooLong patch[1].from");
  // A document may be copied once, whatever its size.
  const std::string larger = "[\"" + std::string(schedpol::max_copied_bytes, 'a') + "\"]";
  CHECK(applied(larger, PatchOp::copy, "/-", "", "").size() == 2 * larger.size() + 1);
  const auto text_of = [](std::size_t bytes) { return "\"" + std::string(bytes - 2, 'a') + "\""; };
  CHECK(applied("[]", PatchOp::add, "/-", text_of(schedpol::max_document_bytes - 2)).size() ==
        schedpol::max_document_bytes);
  CHECK(applied("[]", PatchOp::add, "/-", text_of(schedpol::max_document_bytes - 1)) ==
        "refused at patch");
  CHECK(applied("[]", PatchOp::replace, "", text_of(schedpol::max_document_bytes)).size() ==
        schedpol::max_document_bytes);
  const std::string large = "\"" + std::string(schedpol::max_document_bytes - 100, 'a') + "\"";
  CHECK(applied("[\"" + std::string(200, 'b') + "\"]", PatchOp::add, "/-", large) ==
        "refused at patch");
}

TEST_CASE("an item of a long list is at its index") {
  std::string list = "[";
  std::string wanted = "[";
  Patch patch;
  for (int i = 0; i < 1'100; ++i) {
    list += i > 0 ? ",0" : "0";
    wanted += (i > 0 ? "," : "") + std::to_string(i);
    patch.push_back({PatchOp::replace, "/" + std::to_string(i), std::to_string(i)});
  }
  CHECK(*apply_patch(list + "]", patch) == wanted + "]");
}

TEST_CASE("what the operations of a patch go through together is bounded") {
  const std::string document =
      R"({"a":")" + std::string(schedpol::max_patched_bytes / 256 - 8, 'x') + R"("})";
  Patch patch(256, {PatchOp::move, "/a", "", "/a"});
  CHECK(static_cast<bool>(apply_patch(document, patch)));
  patch.push_back({PatchOp::move, "/a", "", "/a"});
  CHECK(apply_patch(document, patch).errors() ==
        std::vector<FieldError>{{ErrorType::too_many, "patch[256]"_path, "",
                                 "the operations of a patch go through at most 268435456 bytes, "
                                 "each through the document"}});
  // What one puts into it the next one goes through.
  Patch growing(64, {PatchOp::replace, "/a", document});
  CHECK_FALSE(apply_patch(document, growing));
  growing.resize(8);
  CHECK(static_cast<bool>(apply_patch(document, growing)));
  Patch copied(130, {PatchOp::move, "/a", "", "/a"});
  copied.front() = {PatchOp::copy, "/b", "", "/a"};
  CHECK_FALSE(apply_patch(document, copied));
  copied.resize(120);
  CHECK(static_cast<bool>(apply_patch(document, copied)));
}

TEST_CASE("no operation names a deeper place, or moves what is deeper, than a document may be") {
  const auto levels = [](std::size_t count) {
    return std::string(count, '[') + std::string(count, ']');
  };
  const auto pointer = [](std::size_t names) {
    std::string text;
    for (std::size_t i = 0; i < names; ++i) text += "/0";
    return text;
  };
  constexpr std::size_t deepest = schedpol::max_document_depth;
  const auto refused = [&](const Patch& patch) {
    const auto result = apply_patch(R"({"0":)" + levels(deepest - 1) + "}", patch);
    return result ? "nowhere" : to_string(result.errors()[0].field);
  };
  const schedpol::json::PatchOperation too_deep_for_now = {PatchOp::add, pointer(deepest), "[]"};
  const schedpol::json::PatchOperation shallow = {PatchOp::replace, "/0", "1"};
  CHECK(refused({too_deep_for_now, shallow}) == "nowhere");
  CHECK(refused({too_deep_for_now}) == "patch");
  CHECK(refused({too_deep_for_now, {PatchOp::add, pointer(deepest + 1), "1"}, shallow}) ==
        "patch[1].path");
  CHECK(refused({too_deep_for_now, {PatchOp::move, "/1", "", "/0/0"}, shallow}) == "nowhere");
  // All of the document is as deep as one may be.
  CHECK(refused({{PatchOp::copy, "/1", "", ""}, {PatchOp::remove, "/1"}}) == "nowhere");
  const schedpol::json::PatchOperation deeper = {PatchOp::add, pointer(deepest), "[[]]"};
  for (const PatchOp op : {PatchOp::move, PatchOp::copy})
    CHECK(refused({deeper, {op, "/1", "", "/0"}, shallow}) == "patch[1].from");
  CHECK(refused({deeper, {PatchOp::test, "/0", "1"}, shallow}) == "patch[1].path");
}

}  // namespace apply_patch_test
