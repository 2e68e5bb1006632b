// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/apply_patch.hpp>

#include "../support/print.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::json::apply_patch;
using schedpol::json::Patch;
using schedpol::json::PatchOp;

std::string applied(std::string_view document, PatchOp op, std::string_view path,
                    std::string_view value = "") {
  const Patch patch = {{op, std::string(path), std::string(value)}};
  const auto result = apply_patch(document, patch);
  if (result) return *result;
  CHECK(result.errors() == std::vector<FieldError>{{ErrorType::invalid, std::string(path), "",
                                                    "the patch does not apply to the document"}});
  return "refused";
}

}  // namespace

TEST_CASE("operations on documents") {
  struct Case {
    const char* document;
    PatchOp op;
    const char* path;
    const char* value;
    const char* after;
  };
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
      {R"({"a":"{}[],:\"\\"})", PatchOp::add, "/b", "1", R"({"a":"{}[],:\"\\","b":1})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CAPTURE(c.path);
    CHECK(applied(c.document, c.op, c.path, c.value) == c.after);
  }
}

TEST_CASE("an operation whose target is not there is refused") {
  struct Case {
    const char* document;
    PatchOp op;
    const char* path;
  };
  constexpr Case cases[] = {
      {"{}", PatchOp::replace, "/a"},
      {"{}", PatchOp::remove, "/a"},
      {R"({"a":1})", PatchOp::remove, "/A"},
      {"{}", PatchOp::add, "/a/b"},
      {R"({"a":null})", PatchOp::add, "/a/b"},
      {R"({"a":"text"})", PatchOp::add, "/a/b"},
      {R"({"a":5})", PatchOp::add, "/a/b"},
      {"[1,2]", PatchOp::replace, "/2"},
      {"[1,2]", PatchOp::remove, "/2"},
      {"[1,2]", PatchOp::remove, "/-"},
      {"[1,2]", PatchOp::replace, "/-"},
      {"[1,2]", PatchOp::add, "/3"},
      {"[1,2]", PatchOp::add, "/a"},
      {"[1,2]", PatchOp::add, "/"},
      {"[1,2]", PatchOp::add, "/-1"},
      {"[1,2]", PatchOp::add, "/+1"},
      {"[1,2]", PatchOp::add, "/ 1"},
      {"[1,2]", PatchOp::add, "/1x"},
      {"[1,2]", PatchOp::add, "/99999999999999999999999"},
      {R"({"a":[{}]})", PatchOp::add, "/a/1/b"},
      {R"({"a":[{}]})", PatchOp::add, "/a/-/b"},
      {"{}", PatchOp::add, ""},
      {"{}", PatchOp::add, "a"},
      {"5", PatchOp::add, "/a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CAPTURE(c.path);
    CHECK(applied(c.document, c.op, c.path, "1") == "refused");
  }
}

TEST_CASE("operations are applied in their order, and the first that fails refuses the patch") {
  const Patch good = {{PatchOp::add, "/a", "{}"},
                      {PatchOp::add, "/a/b", "[1]"},
                      {PatchOp::add, "/a/b/-", "2"},
                      {PatchOp::remove, "/x", ""}};
  const auto result = apply_patch(R"({"x":1})", good);
  REQUIRE(result);
  CHECK(*result == R"({"a":{"b":[1,2]}})");
  const Patch bad = {
      {PatchOp::add, "/a", "{}"}, {PatchOp::remove, "/b", ""}, {PatchOp::remove, "/c", ""}};
  const auto refused = apply_patch("{}", bad);
  REQUIRE(!refused);
  REQUIRE(refused.errors().size() == 1);
  CHECK(refused.errors().front().field == "/b");
}

TEST_CASE("only a document can be patched, and only by the indices of JSON Pointer") {
  const Patch nothing;
  const Patch replace_01 = {{PatchOp::replace, "/01", "9"}};
  const Patch replace_b = {{PatchOp::replace, "/b", "9"}};
  for (const char* text :
       {"", "garbage", "{", R"({"b":1} x)", R"({"a":1 "b":2})", R"({"a":tru,"b":1})"}) {
    CAPTURE(text);
    CHECK_FALSE(apply_patch(text, nothing));
    CHECK_FALSE(apply_patch(text, replace_b));
  }
  CHECK_FALSE(apply_patch("[1,2]", replace_01));
  CHECK(apply_patch("[1,2]", nothing));
}
