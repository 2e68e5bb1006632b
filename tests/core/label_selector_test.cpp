// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/label_selector.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace label_selector_test {

using schedpol::compile;
using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::LabelMatcher;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorRequirement;
using schedpol::OpenEnum;
using schedpol::Texts;
using schedpol::to_string;
using schedpol::testing::operator""_path;
using Op = schedpol::LabelSelectorOperator;
using OpenOp = OpenEnum<Op>;
using Selector = std::optional<LabelSelector>;
using Errors = std::vector<FieldError>;

static_assert(std::is_aggregate_v<LabelSelectorRequirement>);
static_assert(std::is_nothrow_move_constructible_v<LabelSelectorRequirement>);
static_assert(std::equality_comparable<LabelSelectorRequirement>);
static_assert(std::is_aggregate_v<LabelSelector>);
static_assert(std::is_nothrow_move_constructible_v<LabelSelector>);
static_assert(std::equality_comparable<LabelSelector>);
static_assert(std::is_nothrow_default_constructible_v<LabelMatcher>);
static_assert(std::is_nothrow_move_constructible_v<LabelMatcher>);
static_assert(noexcept(std::declval<const LabelMatcher&>().matches(Labels())));

/// A selector of one expression.
Selector expression(std::string key, OpenOp operator_, Texts values = {}) {
  LabelSelector selector;
  selector.match_expressions = {{std::move(key), std::move(operator_), std::move(values)}};
  return selector;
}

LabelSelector pairs(Labels labels) {
  LabelSelector selector;
  selector.match_labels = std::move(labels);
  return selector;
}

TEST_CASE("a selector selects what fulfils all of it") {
  const Labels web = {{"app", "web"}, {"tier", ""}};
  LabelSelector both = pairs({{"app", "web"}});
  both.match_expressions = {{"tier", Op::exists, {}}, {"spot", Op::does_not_exist, {}}};
  LabelSelector contradiction = pairs({{"app", "web"}});
  contradiction.match_expressions = {{"app", Op::not_in, {"web"}}};
  LabelSelector twice;
  twice.match_expressions = {{"app", Op::in, {"web", "db"}}, {"app", Op::in, {"db", "api"}}};

  struct Case {
    std::string name;
    Selector selector;
    Labels labels;
    bool selected;
  };
  const Case cases[] = {
      {"absent: nothing", std::nullopt, web, false},
      {"absent: nothing, of no labels either", std::nullopt, {}, false},
      {"empty: everything", LabelSelector{}, web, true},
      {"empty: everything, no labels too", LabelSelector{}, {}, true},

      {"matchLabels: the pair", pairs({{"app", "web"}}), web, true},
      {"matchLabels: another value", pairs({{"app", "db"}}), web, false},
      {"matchLabels: another case", pairs({{"app", "Web"}}), web, false},
      {"matchLabels: a missing key", pairs({{"spot", "true"}}), web, false},
      {"matchLabels: an empty value", pairs({{"tier", ""}}), web, true},
      {"matchLabels: an empty value is no missing key", pairs({{"spot", ""}}), web, false},
      {"matchLabels: every pair", pairs({{"app", "web"}, {"tier", ""}}), web, true},
      {"matchLabels: all but one pair", pairs({{"app", "web"}, {"tier", "1"}}), web, false},

      {"In: the value", expression("app", Op::in, {"web"}), web, true},
      {"In: one of the values", expression("app", Op::in, {"x", "web", "a"}), web, true},
      {"In: a value listed twice", expression("app", Op::in, {"web", "web"}), web, true},
      {"In: other values", expression("app", Op::in, {"x", "we", "webs"}), web, false},
      {"In: a missing key", expression("spot", Op::in, {"true", ""}), web, false},
      {"In: the empty value", expression("tier", Op::in, {"a", ""}), web, true},

      {"NotIn: the value", expression("app", Op::not_in, {"web"}), web, false},
      {"NotIn: one of the values", expression("app", Op::not_in, {"x", "web", "a"}), web, false},
      {"NotIn: other values", expression("app", Op::not_in, {"x", "y"}), web, true},
      {"NotIn: a missing key", expression("spot", Op::not_in, {"true"}), web, true},
      {"NotIn: a missing key, the empty value", expression("spot", Op::not_in, {""}), web, true},
      {"NotIn: the empty value", expression("tier", Op::not_in, {""}), web, false},

      {"Exists: the key", expression("app", Op::exists), web, true},
      {"Exists: a key with an empty value", expression("tier", Op::exists), web, true},
      {"Exists: a missing key", expression("spot", Op::exists), web, false},

      {"DoesNotExist: the key", expression("app", Op::does_not_exist), web, false},
      {"DoesNotExist: a key with an empty value", expression("tier", Op::does_not_exist), web,
       false},
      {"DoesNotExist: a missing key", expression("spot", Op::does_not_exist), web, true},

      {"pairs and expressions, all of them hold", both, web, true},
      {"pairs and expressions, a pair does not", both, {{"tier", ""}}, false},
      {"pairs and expressions, an expression does not", both, {{"app", "web"}}, false},
      {"pairs and expressions, the last does not",
       both,
       {{"app", "web"}, {"tier", ""}, {"spot", ""}},
       false},
      {"two expressions of one key", twice, {{"app", "db"}}, true},
      {"two expressions of one key, one holds", twice, {{"app", "web"}}, false},
      {"a pair and an expression that exclude each other", contradiction, web, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto matcher = compile(c.selector);
    REQUIRE(static_cast<bool>(matcher));
    CHECK(matcher->matches(c.labels) == c.selected);
  }
}

TEST_CASE("In and NotIn of the same values select complements") {
  const std::vector<Texts> lists = {{"a"}, {""}, {"b", "a"}, {"c", "", "a"}};
  const std::vector<Labels> objects = {{}, {{"k", ""}}, {{"k", "a"}}, {{"k", "b"}}, {{"j", "a"}}};
  for (const auto& values : lists) {
    for (const auto& labels : objects) {
      CAPTURE(schedpol::testing::text(values));
      CAPTURE(labels);
      const auto in = compile(expression("k", Op::in, values));
      const auto not_in = compile(expression("k", Op::not_in, values));
      REQUIRE(static_cast<bool>(in));
      REQUIRE(static_cast<bool>(not_in));
      CHECK(in->matches(labels) != not_in->matches(labels));
    }
  }
}

TEST_CASE("a default-constructed matcher stands for the absent selector") {
  CHECK(!LabelMatcher().matches({}));
  CHECK(!LabelMatcher().matches({{"app", "web"}}));
}

TEST_CASE("an invalid selector is not compiled and says why and where") {
  const std::string vocabulary = "must be In, NotIn, Exists or DoesNotExist";
  const std::string rule =
      "consist of alphanumerics, `-`, `_` or `.`, and start and end with an alphanumeric";
  const std::string syntax = "must be empty, or " + rule;
  const std::string name = "name must " + rule;
  struct Case {
    std::string name;
    Selector selector;
    Errors errors;
  };
  const Case cases[] = {
      {"an unknown operator",
       expression("app", OpenOp("Like"), {"web"}),
       {{ErrorType::invalid, "sel.matchExpressions[0].operator"_path, "Like", vocabulary}}},
      {"an operator of another vocabulary",
       expression("app", OpenOp("Gt"), {"1"}),
       {{ErrorType::invalid, "sel.matchExpressions[0].operator"_path, "Gt", vocabulary}}},
      {"an operator in another case",
       expression("app", OpenOp("in"), {"1"}),
       {{ErrorType::invalid, "sel.matchExpressions[0].operator"_path, "in",
         vocabulary + ", did you mean `In`"}}},
      {"no operator",
       expression("app", {}, {"web"}),
       {{ErrorType::invalid, "sel.matchExpressions[0].operator"_path, "", vocabulary}}},
      {"In without values",
       expression("app", Op::in),
       {{ErrorType::required, "sel.matchExpressions[0].values"_path, "",
         "In and NotIn need at least one value"}}},
      {"NotIn without values",
       expression("app", Op::not_in),
       {{ErrorType::required, "sel.matchExpressions[0].values"_path, "",
         "In and NotIn need at least one value"}}},
      {"Exists with a value",
       expression("app", Op::exists, {"web"}),
       {{ErrorType::forbidden, "sel.matchExpressions[0].values"_path, "",
         "Exists and DoesNotExist take no values"}}},
      {"DoesNotExist with an empty value",
       expression("app", Op::does_not_exist, {""}),
       {{ErrorType::forbidden, "sel.matchExpressions[0].values"_path, "",
         "Exists and DoesNotExist take no values"}}},
      {"a key that is no label key",
       expression("-app", Op::exists),
       {{ErrorType::invalid, "sel.matchExpressions[0].key"_path, "-app", name}}},
      {"a value that is no label value",
       expression("app", Op::in, {"web", "a b"}),
       {{ErrorType::invalid, "sel.matchExpressions[0].values[1]"_path, "a b", syntax}}},
      {"a pair's key that is no label key",
       pairs({{"a b", "web"}}),
       {{ErrorType::invalid, "sel.matchLabels"_path, "a b", name}}},
      {"a pair's value that is no label value",
       pairs({{"app", "a/b"}}),
       {{ErrorType::invalid, "sel.matchLabels"_path, "a/b", syntax}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto result = compile(c.selector, "sel"_path);
    CHECK(!static_cast<bool>(result));
    CHECK(result.errors() == c.errors);
  }
}

TEST_CASE("every problem of a selector is reported, pairs before expressions") {
  LabelSelector selector = pairs({{"-a", "-1"}, {"b", "ok"}, {"c", "-2"}});
  selector.match_expressions = {{"ok", Op::exists, {}},
                                {"-d", OpenOp("Like"), {"-3", "ok", "-4"}},
                                {"-e", Op::in, {}},
                                {"-f", Op::exists, {"-5"}}};
  const auto result = compile(selector, "spec.podSelector"_path);
  REQUIRE(!static_cast<bool>(result));
  std::vector<std::string> fields;
  for (const FieldError& error : result.errors()) {
    fields.push_back(to_string(error.field) + " " + error.bad_value);
  }
  const std::string at = "spec.podSelector.matchExpressions";
  CHECK(fields == std::vector<std::string>{
                      "spec.podSelector.matchLabels -a", "spec.podSelector.matchLabels -1",
                      "spec.podSelector.matchLabels -2", at + "[1].operator Like",
                      at + "[1].key -d", at + "[1].values[0] -3", at + "[1].values[2] -4",
                      at + "[2].values ", at + "[2].key -e", at + "[3].values ", at + "[3].key -f",
                      at + "[3].values[0] -5"});
}

TEST_CASE("one text that breaks two rules is reported twice") {
  const std::string dashes(64, '-');
  struct Case {
    std::string name;
    Selector selector;
    std::string field;
  };
  const Case cases[] = {
      {"a pair's key", pairs({{dashes, "x"}}), "matchLabels"},
      {"a pair's value", pairs({{"app", dashes}}), "matchLabels"},
      {"an expression's key", expression(dashes, Op::exists), "matchExpressions[0].key"},
      {"an expression's value", expression("app", Op::in, {dashes}),
       "matchExpressions[0].values[0]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Errors errors = compile(c.selector).errors();
    REQUIRE(errors.size() == 2);
    for (const FieldError& error : errors) {
      CHECK(to_string(error.field) == c.field);
      CHECK(error.bad_value == dashes);
    }
    CHECK(errors[0].detail != errors[1].detail);
  }
}

TEST_CASE("annotations have keys like labels, and any values") {
  const std::string text = "any text, however long: " + std::string(100, '!');
  const auto annotations = schedpol::SelectedValues::annotations;
  for (const Selector& selector :
       {Selector(pairs({{"a", text}})), expression("a", Op::in, {text})}) {
    const auto matcher = compile(selector, {}, annotations);
    REQUIRE(static_cast<bool>(matcher));
    CHECK(matcher->matches({{"a", text}}));
    CHECK(!matcher->matches({{"a", "other"}}));
    CHECK(!static_cast<bool>(compile(selector)));
  }
  CHECK(!static_cast<bool>(compile(pairs({{"-a", "x"}}), {}, annotations)));
  CHECK(!static_cast<bool>(compile(expression("-a", Op::exists), {}, annotations)));
  CHECK(!static_cast<bool>(compile(expression("a", Op::in), {}, annotations)));
}

TEST_CASE("copies of a matcher match alike, and one that was moved from matches nothing") {
  LabelMatcher first = *compile(expression("app", Op::in, {"web"}));
  const LabelMatcher copy = first;
  LabelMatcher assigned;
  assigned = first;
  const LabelMatcher moved = std::move(first);
  for (const LabelMatcher* matcher : {&copy, &std::as_const(assigned), &moved}) {
    CHECK(matcher->matches({{"app", "web"}}));
    CHECK(!matcher->matches({{"app", "db"}}));
  }
  CHECK(!first.matches({{"app", "web"}}));  // NOLINT(bugprone-use-after-move)
  first = copy;
  CHECK(first.matches({{"app", "web"}}));
}

TEST_CASE("without a field the paths begin at the selector") {
  const auto expressions = compile(expression("app", Op::in));
  REQUIRE(expressions.errors().size() == 1);
  CHECK(expressions.errors()[0].field == "matchExpressions[0].values");
  const auto labels = compile(pairs({{"app", "-"}}));
  REQUIRE(labels.errors().size() == 1);
  CHECK(labels.errors()[0].field == "matchLabels");
}

TEST_CASE("the limits of label syntax hold in selectors") {
  CHECK(static_cast<bool>(compile(expression(std::string(253, 'a') + "/" + std::string(63, 'b'),
                                             Op::in, {std::string(63, 'c')}))));
  CHECK(!static_cast<bool>(compile(expression(std::string(64, 'b'), Op::exists))));
  CHECK(!static_cast<bool>(compile(expression("b", Op::in, {std::string(64, 'c')}))));
}

TEST_CASE("a selector is shown on one line") {
  LabelSelector selector = pairs({{"b", ""}, {"app", "x"}});
  selector.match_expressions = {{"tier", Op::in, {"web", "db"}},
                                {"spot", Op::does_not_exist, {}},
                                {"zone", Op::not_in, {""}},
                                {"a b", OpenOp("Is,"), {"[c]"}}};
  CHECK(to_string(Selector(selector)) ==
        "{app=x, b=, tier In [web, db], spot DoesNotExist, zone NotIn [], a\\ b Is\\, [\\[c\\]]}");
  CHECK(to_string(Selector(LabelSelector{})) == "{}");
  LabelSelector of_nothing = pairs({{"", ""}, {"a", "b"}});
  CHECK(to_string(Selector(of_nothing)) == "{=, a=b}");
  of_nothing.match_labels.erase("a");
  of_nothing.match_expressions = {{"a", Op::exists, {}}};
  CHECK(to_string(Selector(of_nothing)) == "{=, a Exists}");
  CHECK(to_string(expression("spot", Op::exists)) == "{spot Exists}");
  CHECK(to_string(Selector()) == "none");
}

TEST_CASE("different selectors have different texts") {
  const std::vector<std::string> keys = {"",       "a",  "none", "a=b", "a, b",
                                         "a, z=z", "In", "{}",   "\\"};
  const std::vector<OpenOp> operators = {{},         Op::in,        Op::exists,
                                         Op::not_in, OpenOp("a b"), OpenOp("In [a]")};
  const std::vector<Texts> lists = {{}, {""}, {"a"}, {"a", "b"}, {"a, b"}, {"", ""}, {"]"}, {"\\"}};
  std::vector<Selector> selectors = {std::nullopt, LabelSelector{}};
  std::vector<LabelSelectorRequirement> requirements;
  for (const auto& key : keys) {
    for (const auto& value : keys) {
      selectors.push_back(pairs({{key, value}}));
      selectors.push_back(pairs({{key, value}, {"z", "z"}}));
    }
    for (const auto& operator_ : operators) {
      for (const auto& values : lists) requirements.push_back({key, operator_, values});
    }
  }
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    LabelSelector selector;
    selector.match_expressions = {requirements[i]};
    selectors.push_back(selector);
    selector.match_labels = {{"a", "b"}};
    selectors.push_back(selector);
    selector.match_expressions.push_back(requirements[(i * 7) % requirements.size()]);
    selectors.push_back(selector);
    selector.match_labels = {};
    selectors.push_back(selector);
  }
  std::map<std::string, const Selector*> selector_of;
  for (const Selector& selector : selectors) {
    const auto [it, inserted] = selector_of.emplace(to_string(selector), &selector);
    CAPTURE(it->first);
    CHECK((*it->second == selector));
  }
  CHECK(selector_of.size() > 1000);
}

}  // namespace label_selector_test
