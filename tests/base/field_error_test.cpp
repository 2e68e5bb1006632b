// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/field_error.hpp>

#include "../support/ends_program.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace field_error_test {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::FieldPath;
using schedpol::message;
using schedpol::Result;
using schedpol::to_string;
using schedpol::testing::operator""_path;

static_assert(std::is_aggregate_v<FieldError>);
static_assert(std::is_nothrow_move_constructible_v<FieldError>);
static_assert(std::equality_comparable<FieldError>);
static_assert(!std::is_convertible_v<Result<std::string>, bool>);
static_assert(!std::is_convertible_v<Result<int>, int>);
static_assert(std::is_constructible_v<bool, Result<std::string>>);
static_assert(!std::is_default_constructible_v<Result<int>>);
static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);
static_assert(noexcept(static_cast<bool>(std::declval<const Result<int>&>())));
static_assert(noexcept(to_string(ErrorType::invalid)));

template <class T>
concept ReachesInto = requires { std::declval<T>().operator->(); };
static_assert(ReachesInto<const Result<std::string>&>);
static_assert(!ReachesInto<Result<std::string>>);
static_assert(std::is_same_v<decltype(*std::declval<Result<std::string>>()), std::string>);
static_assert(
    std::is_same_v<decltype(std::declval<Result<int>>().errors()), std::vector<FieldError>>);

struct Named {
  ErrorType type;
  std::string_view name;
};

constexpr Named error_types[] = {
    {ErrorType::required, "FieldValueRequired"},
    {ErrorType::invalid, "FieldValueInvalid"},
    {ErrorType::not_supported, "FieldValueNotSupported"},
    {ErrorType::forbidden, "FieldValueForbidden"},
    {ErrorType::duplicate, "FieldValueDuplicate"},
    {ErrorType::too_long, "FieldValueTooLong"},
    {ErrorType::too_many, "FieldValueTooMany"},
    {ErrorType::type_invalid, "FieldValueTypeInvalid"},
};

TEST_CASE("an error type is spelled as in a Status object") {
  for (const auto& [type, name] : error_types)
    CHECK(std::string(to_string(type)) == std::string(name));
}

TEST_CASE("a message is the field, the kind of problem, the value and the detail") {
  struct Case {
    std::string name;
    FieldError error;
    std::string text;
  };
  const Case cases[] = {
      {"required",
       {ErrorType::required, "metadata.name"_path, "", "a policy has a name"},
       "`metadata.name`: required value: a policy has a name"},
      {"invalid",
       {ErrorType::invalid, "spec.allowed.tolerations[2].keys[0]"_path, "a b", ""},
       "`spec.allowed.tolerations[2].keys[0]`: invalid value `a b`"},
      {"not supported",
       {ErrorType::not_supported, "operator"_path, "Like", "supported are In and NotIn"},
       "`operator`: unsupported value `Like`: supported are In and NotIn"},
      {"forbidden", {ErrorType::forbidden, "values"_path, "", ""}, "`values`: forbidden"},
      {"duplicate",
       {ErrorType::duplicate, "keys[1]"_path, "a", ""},
       "`keys[1]`: duplicate value `a`"},
      {"too long", {ErrorType::too_long, "keys[1]"_path, "aaa", ""}, "`keys[1]`: too long `aaa`"},
      {"too many",
       {ErrorType::too_many, "keys"_path, "", "at most 3"},
       "`keys`: too many: at most 3"},
      {"wrong type",
       {ErrorType::type_invalid, "spec"_path, "", "must be an object"},
       "`spec`: wrong type: must be an object"},
      {"no field: the whole document, its detail alone",
       {ErrorType::invalid, {}, "x", "a document nests at most 3 levels"},
       "a document nests at most 3 levels"},
      {"no field and no detail", {ErrorType::invalid, {}, "x", ""}, "invalid value `x`"},
      {"nothing but the kind", {ErrorType::invalid, {}, "", ""}, "invalid value"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(message(c.error) == c.text);
  }
}

TEST_CASE("a message is one lower-case line without a full stop, whatever it shows") {
  const std::string hostile = "A\r\n\x1b[31m`\\\x7f.";
  for (const auto& [type, name] : error_types) {
    for (const std::string& value : {std::string(), std::string("a"), hostile}) {
      for (const std::string& detail : {std::string(), std::string("must be a name")}) {
        const FieldError error{type, FieldPath{"spec"}.key(value), value, detail};
        const std::string text = message(error);
        CAPTURE(text);
        CHECK(text.starts_with("`spec["));
        CHECK(!text.ends_with('.'));
        for (const char c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 && c != 0x7F));
      }
    }
    for (const char c : message(FieldError{type, {}, "", ""})) {
      CHECK(((c >= 'a' && c <= 'z') || c == ' '));
    }
  }
}

TEST_CASE("field and value are shown escaped and bounded") {
  const FieldError escaped{ErrorType::invalid, FieldPath{"a`b\nc"}, "d\\e\t", ""};
  CHECK(message(escaped) == "`a\\`b\\x0ac`: invalid value `d\\\\e\\x09`");
  const std::string start(schedpol::max_shown_bytes - 1, 'a');
  const FieldError cut{ErrorType::too_long, "name"_path, start + "\xC3\xA9\xC3\xA9", ""};
  CHECK(message(cut) == "`name`: too long `" + start + "...`");
}

TEST_CASE("a message depends on nothing but the error") {
  const FieldError error{ErrorType::invalid, "a"_path, "b", "c"};
  const FieldError same = error;
  CHECK(error == same);
  CHECK(message(error) == message(same));
  for (const FieldError& other : {FieldError{ErrorType::required, "a"_path, "b", "c"},
                                  FieldError{ErrorType::invalid, {}, "b", "c"},
                                  FieldError{ErrorType::invalid, "a"_path, "", "c"},
                                  FieldError{ErrorType::invalid, "a"_path, "b", ""}}) {
    CHECK(error != other);
    CHECK(message(error) != message(other));
  }
}

TEST_CASE("a result with a value is true and has no errors") {
  Result<std::string> result("value");
  REQUIRE(static_cast<bool>(result));
  CHECK(result.errors().empty());
  CHECK(*result == "value");
  CHECK(result->size() == 5);
  *result += "s";
  CHECK(*std::as_const(result) == "values");
  const std::string moved = *std::move(result);
  CHECK(moved == "values");
}

TEST_CASE("a result is true for a value that is false, empty or zero") {
  CHECK(static_cast<bool>(Result<bool>(false)));
  CHECK(static_cast<bool>(Result<int>(0)));
  CHECK(static_cast<bool>(Result<std::string>(std::string())));
}

TEST_CASE("a result with errors is false and keeps all of them in order") {
  const std::vector<FieldError> errors = {{ErrorType::required, "a"_path, "", ""},
                                          {ErrorType::invalid, "b"_path, "x", "y"}};
  const Result<int> result(errors);
  CHECK(!static_cast<bool>(result));
  CHECK(result.errors() == errors);
}

TEST_CASE("no errors and no value is a failure with one error") {
  const Result<int> result(std::vector<FieldError>{});
  CHECK(!static_cast<bool>(result));
  CHECK(result.errors() == std::vector<FieldError>{FieldError{}});
}

TEST_CASE("a result speaks the words of std::expected") {
  Result<std::string> value("value");
  CHECK(value.has_value());
  CHECK(value.value() == "value");
  value.value() += "s";
  CHECK(std::as_const(value).value() == "values");
  const std::string moved = std::move(value).value();
  CHECK(moved == "values");
  const std::vector<FieldError> errors = {{ErrorType::required, "a"_path, "", ""},
                                          {ErrorType::invalid, "b"_path, "x", "y"}};
  const Result<std::string> failed(errors);
  CHECK(!failed.has_value());
  CHECK(failed.error() == errors[0]);
  CHECK(Result<std::string>(errors).error() == errors[0]);
}

TEST_CASE("what is not there ends the program, whichever way it is asked for, and that is said") {
  const Result<std::string> errors({{ErrorType::required, "spec.a"_path, "", ""}});
  Result<std::string> other = errors;
  const std::string no_value =
      "schedpol: the value of a Result that has none was asked for: `spec.a`: required value\n";
  CHECK(last_words([&] { static_cast<void>((*errors).size()); }) == no_value);
  CHECK(last_words([&] { static_cast<void>(errors->size()); }) == no_value);
  CHECK(last_words([&] { *other = "value"; }) == no_value);
  CHECK(last_words([&] { other.value() = "value"; }) == no_value);
  CHECK(last_words([&] { static_cast<void>(errors.value()); }) == no_value);
  CHECK(last_words([&] { static_cast<void>(Result<std::string>(errors).value()); }) == no_value);
  CHECK(last_words([&] { static_cast<void>(*std::move(other)); }) == no_value);
  const Result<std::string> value("value");
  CHECK_FALSE(ends_program([&] { static_cast<void>(value->size()); }));
  CHECK(last_words([&] { static_cast<void>(value.error()); }) ==
        "schedpol: the error of a Result that has none was asked for\n");
  CHECK(last_words([&] { static_cast<void>(Result<int>(1).error()); }) ==
        "schedpol: the error of a Result that has none was asked for\n");
}

TEST_CASE("the errors of a result that goes are gone through safely") {
  const auto failed = [] {
    return Result<int>(
        {{ErrorType::required, "a"_path, "", ""}, {ErrorType::invalid, {}, "x", ""}});
  };
  std::vector<FieldError> seen;
  for (const FieldError& error : failed().errors()) seen.push_back(error);
  CHECK(seen == failed().errors());
}

TEST_CASE("a result hands out a value that cannot be copied") {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  REQUIRE(static_cast<bool>(result));
  const std::unique_ptr<int> owned = *std::move(result);
  REQUIRE(owned);
  CHECK(*owned == 7);
}

}  // namespace field_error_test
