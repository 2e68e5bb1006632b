// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/any_or.hpp>
#include <schedpol/base/names.hpp>

#include "../support/print.hpp"

#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace any_or_test {

using schedpol::any;
using schedpol::Any;
using schedpol::AnyOr;
using schedpol::Names;
using schedpol::Texts;

struct Rule {
  std::string key{};
  AnyOr<Texts> values{};

  friend bool operator==(const Rule&, const Rule&) = default;
};

using Rules = std::vector<Rule>;
using Selectors = std::map<std::string, AnyOr<Texts>>;

/// What of the three it is; exactly one of them.
template <class T>
std::string state(const AnyOr<T>& value) {
  CHECK(value.is_absent() + value.is_any() + value.is_listed() == 1);
  return value.is_absent() ? "absent" : value.is_any() ? "any" : "listed";
}

static_assert(std::is_nothrow_move_constructible_v<AnyOr<Texts>>);
static_assert(std::equality_comparable<AnyOr<Texts>>);

// Only `any` says any: nothing that can be written in braces makes one.
static_assert(!std::is_default_constructible_v<Any>);
static_assert(!std::is_convertible_v<int, Any>);
static_assert(!std::is_convertible_v<bool, AnyOr<Texts>>);
static_assert(!std::is_convertible_v<const char*, AnyOr<Texts>>);
static_assert(std::is_convertible_v<Any, AnyOr<Texts>>);
static_assert(std::is_convertible_v<Texts, AnyOr<Texts>>);

TEST_CASE("empty braces are absent, for lists, maps and structures") {
  const AnyOr<Texts> texts = {};
  const AnyOr<Rules> rules = {};
  const AnyOr<Selectors> selectors = {};
  const AnyOr<Rule> rule = {};
  CHECK(state(texts) == "absent");
  CHECK(state(rules) == "absent");
  CHECK(state(selectors) == "absent");
  CHECK(state(rule) == "absent");
  CHECK(texts.listed().empty());
  CHECK((rule.listed() == Rule()));
  const Rule with = {.key = "a", .values = {}};
  CHECK(state(with.values) == "absent");
}

TEST_CASE("any is any, and lists nothing") {
  const AnyOr<Texts> texts = any;
  const AnyOr<Rule> rule = any;
  CHECK(state(texts) == "any");
  CHECK(texts.listed().empty());
  CHECK(state(rule) == "any");
  CHECK((rule.listed() == Rule()));
  const Rule with = {.key = "a", .values = any};
  CHECK(state(with.values) == "any");
}

TEST_CASE("braces with something in them list it") {
  const AnyOr<Texts> texts = {"a", "b"};
  CHECK(state(texts) == "listed");
  CHECK(texts.listed() == Texts{"a", "b"});
  const AnyOr<Texts> one = {"a"};
  CHECK(one.listed() == Texts{"a"});
  const AnyOr<Rules> rules = {{.key = "a", .values = {"x"}}, {.key = "b", .values = any}};
  REQUIRE(rules.listed().size() == 2);
  CHECK(state(rules.listed()[0].values) == "listed");
  CHECK(state(rules.listed()[1].values) == "any");
  const AnyOr<Selectors> selectors = {{"disk", {"ssd"}}, {"zone", any}, {"gpu", {}}};
  REQUIRE(selectors.listed().size() == 3);
  CHECK(state(selectors.listed().at("disk")) == "listed");
  CHECK(state(selectors.listed().at("zone")) == "any");
  CHECK(state(selectors.listed().at("gpu")) == "absent");
}

TEST_CASE("a list of nothing is listed: it is neither absent nor any") {
  const AnyOr<Texts> texts = Texts();
  CHECK(state(texts) == "listed");
  CHECK(texts != AnyOr<Texts>());
  CHECK(texts != AnyOr<Texts>(any));
  const AnyOr<Rule> rule = Rule();
  CHECK(state(rule) == "listed");
}

TEST_CASE("what is listed last stays listed when its last entry goes") {
  AnyOr<Texts> texts = {"a"};
  texts.list().vector().clear();
  CHECK(state(texts) == "listed");
  CHECK(texts.listed().empty());
}

TEST_CASE("to add to a list is to have one, whatever it was before") {
  for (AnyOr<Texts> texts : {AnyOr<Texts>(), AnyOr<Texts>(any), AnyOr<Texts>(Texts())}) {
    texts.list().push_back("a");
    CHECK(state(texts) == "listed");
    CHECK(texts.listed() == Texts{"a"});
  }
  AnyOr<Texts> texts = {"a"};
  texts.list().push_back("b");
  CHECK(texts.listed() == Texts{"a", "b"});
}

TEST_CASE("two are equal when they say the same") {
  const std::vector<AnyOr<Texts>> all = {{}, any, Texts(), {"a"}, {"a", "b"}, {""}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) CHECK((all[i] == all[j]) == (i == j));
  }
}

TEST_CASE("an assignment says something else altogether") {
  AnyOr<Texts> texts = {"a"};
  texts = any;
  CHECK(state(texts) == "any");
  CHECK(texts.listed().empty());
  texts = {"b"};
  CHECK(texts.listed() == Texts{"b"});
  texts = {};
  CHECK(state(texts) == "absent");
  CHECK(texts.listed().empty());
}

// In a template clang 16 never gives back what an operator takes by value, which the run under
// AddressSanitizer finds.
TEST_CASE("empty braces mean the same in a template, and keep nothing") {
  const auto assign_nothing = [](auto& list) { list = {}; };
  AnyOr<Texts> any_or = {"a text that does not fit into the string itself"};
  assign_nothing(any_or);
  CHECK(any_or.is_absent());
  Texts texts = {"a text that does not fit into the string itself"};
  assign_nothing(texts);
  CHECK(texts.empty());
  Names names = {"a text that does not fit into the string itself"};
  assign_nothing(names);
  CHECK(names.empty());
}

TEST_CASE("what is moved says the same, and what it was moved from nothing but a list of nothing") {
  AnyOr<Texts> from = {"a"};
  AnyOr<Texts> to = any;
  to = std::move(from);
  CHECK(to == AnyOr<Texts>{"a"});
  CHECK(from == AnyOr<Texts>(Texts()));  // NOLINT(bugprone-use-after-move)
  // Nor does it still permit anything.
  AnyOr<Texts> all = any;
  CHECK(AnyOr<Texts>(std::move(all)).is_any());
  CHECK(all == AnyOr<Texts>(Texts()));  // NOLINT(bugprone-use-after-move)
  all = any;
  to = std::move(all);
  CHECK(to.is_any());
  CHECK(all == AnyOr<Texts>(Texts()));  // NOLINT(bugprone-use-after-move)
  AnyOr<Texts> none;
  to = std::move(none);
  CHECK(to.is_absent());
  CHECK(none.is_absent());  // NOLINT(bugprone-use-after-move)
}

}  // namespace any_or_test
