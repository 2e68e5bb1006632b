// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/toleration_algebra.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace toleration_algebra_test {

using schedpol::OpenEnum;
using schedpol::Taint;
using schedpol::TaintEffect;
using schedpol::Toleration;
using schedpol::testing::Random;
using Op = schedpol::TolerationOperator;
using Tolerations = std::vector<Toleration>;

constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto prefer_no_schedule = TaintEffect::prefer_no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;
constexpr auto every_effect = TaintEffect::unset;

/// Taints of every key, value and effect that the tolerations below tell apart.
std::vector<Taint> taints() {
  std::vector<Taint> all;
  for (const char* key : {"a", "b", "c"})
    for (const char* value : {"", "x", "y", "-2", "-1", "0", "1", "2", "3", "4", "9", "01"})
      for (const TaintEffect effect : schedpol::taint_effects) all.push_back({key, value, effect});
  return all;
}

/// How long one taint is tolerated, as the rules say it.
std::int64_t seconds(const Tolerations& tolerations, const Taint& taint) {
  std::int64_t longest = -1;
  for (const Toleration& toleration : tolerations) {
    if (!tolerates(toleration, taint)) continue;
    const bool bounded = toleration.effect == no_execute && toleration.toleration_seconds;
    longest = std::max(longest, bounded ? std::max<std::int64_t>(0, *toleration.toleration_seconds)
                                        : std::numeric_limits<std::int64_t>::max());
  }
  return longest;
}

bool covers_every_taint(const Tolerations& a, const Tolerations& b) {
  static const std::vector<Taint> all = taints();
  return std::all_of(all.begin(), all.end(),
                     [&](const Taint& taint) { return seconds(a, taint) >= seconds(b, taint); });
}

Toleration toleration(Random& random, bool compares) {
  static const std::vector<std::string> keys = {"", "a", "a", "b"};
  static const std::vector<std::string> values = {"", "x", "0", "1", "2", "3", "01"};
  static const std::vector<OpenEnum<Op>> operators = {{},     Op::equal, Op::exists,        Op::lt,
                                                      Op::gt, Op::lt,    OpenEnum<Op>("Is")};
  static const std::vector<OpenEnum<TaintEffect>> effects = {
      {}, no_schedule, prefer_no_schedule, no_execute, no_execute, OpenEnum<TaintEffect>("No")};
  Toleration made{.key = random.pick(keys),
                  .operator_ = operators[random.below(compares ? 7 : 3)],
                  .value = random.pick(values),
                  .effect = random.pick(effects)};
  if (random.chance(30)) made.toleration_seconds = random.below(3) - 1;
  return made;
}

Tolerations tolerations(Random& random, std::size_t most, bool compares = true) {
  Tolerations made;
  for (std::size_t i = random.below(most + 1); i > 0; --i)
    made.push_back(toleration(random, compares));
  return made;
}

TEST_CASE("covering, being equivalent and tolerating nothing are decided as taint by taint") {
  Random random(1);
  int covered = 0;
  for (int i = 0; i < schedpol::testing::times(1500); ++i) {
    const Tolerations a = tolerations(random, 4);
    const Tolerations b = tolerations(random, 3);
    CAPTURE(a);
    CAPTURE(b);
    const bool expected = covers_every_taint(a, b);
    covered += expected && !b.empty();
    REQUIRE(covers(a, b) == expected);
    REQUIRE(equivalent(a, b) == (expected && covers_every_taint(b, a)));
    const std::optional<Taint> tolerated = witness(b);
    REQUIRE(tolerated.has_value() == !covers_every_taint({}, b));
    if (!tolerated) continue;
    REQUIRE_FALSE(tolerated->key.empty());
    REQUIRE(seconds(b, *tolerated) >= 0);
  }
  CHECK(covered > 100);
}

TEST_CASE("a key or value is not taken for the one that nobody names") {
  const Toleration of_every_key{.operator_ = Op::exists};
  const Toleration of_k{.key = "k", .operator_ = Op::exists};
  struct Case {
    const char* name;
    Tolerations narrow;
    Toleration wide;
    bool is_covered;
  };
  const Case cases[] = {
      {"a key", {{.key = "other", .operator_ = Op::exists}}, of_every_key, true},
      {"a key, of one value", {{.key = "other", .operator_ = Op::exists}}, {.value = "x"}, false},
      {"two keys",
       {{.key = "other", .operator_ = Op::exists}, {.key = "other-1", .operator_ = Op::exists}},
       of_every_key,
       true},
      {"a value", {{.key = "k", .value = "other"}}, of_k, true},
      {"two values", {{.key = "k", .value = "other"}, {.value = "other-1"}}, of_k, false},
      {"a value of every key", {{.value = "other"}}, of_k, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(covers(Tolerations{c.wide}, c.narrow) == c.is_covered);
    CHECK_FALSE(covers(c.narrow, Tolerations{c.wide}));
  }
}

TEST_CASE("numbers are covered where none is left out between those that cover them") {
  const auto lt = [](const char* value) {
    return Toleration{.key = "k", .operator_ = Op::lt, .value = value};
  };
  const auto gt = [](const char* value) {
    return Toleration{.key = "k", .operator_ = Op::gt, .value = value};
  };
  const auto equal = [](const char* value) { return Toleration{.key = "k", .value = value}; };
  const struct {
    const char* name;
    Tolerations some;
    Toleration wanted;
    bool is_covered;
  } cases[] = {
      {"all but one", {lt("3"), gt("3")}, lt("9"), false},
      {"all but one, which is said", {lt("3"), equal("3"), gt("3")}, lt("9"), true},
      {"all but two, one of which is said", {lt("3"), equal("3"), gt("4")}, lt("9"), false},
      {"all but one that is above", {lt("3"), gt("3")}, gt("3"), true},
      {"all but one that is the bound", {gt("3")}, gt("2"), false},
      {"all but what is below", {equal("3"), gt("3")}, lt("5"), false},
      {"fewer", {lt("3")}, lt("4"), false},
      {"of another key", {{.key = "l", .operator_ = Op::lt, .value = "9"}}, lt("3"), false},
      {"of every key", {{.operator_ = Op::lt, .value = "9"}}, lt("3"), true},
      {"of every key, by one key", {lt("9")}, {.operator_ = Op::lt, .value = "3"}, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(covers(c.some, Tolerations{c.wanted}) == c.is_covered);
  }
}

TEST_CASE("what both tolerate is what each of them does") {
  Random random(2);
  for (int i = 0; i < schedpol::testing::times(600); ++i) {
    const Tolerations a = tolerations(random, 3);
    const Tolerations b = tolerations(random, 3);
    CAPTURE(a);
    CAPTURE(b);
    const auto both = intersect(a, b);
    REQUIRE(both);
    for (const Taint& taint : taints())
      REQUIRE(seconds(*both, taint) == std::min(seconds(a, taint), seconds(b, taint)));
  }
}

TEST_CASE("the numbers between two others are listed as far as the bound on lists allows") {
  const auto compare = [](Op op, std::string number) {
    return Tolerations{{.key = "k", .operator_ = op, .value = std::move(number)}};
  };
  CHECK(intersect(compare(Op::gt, "1"), compare(Op::lt, "4")) ==
        Tolerations{{.key = "k", .value = "2"}, {.key = "k", .value = "3"}});
  CHECK(intersect(compare(Op::gt, "4"), compare(Op::lt, "1")) == Tolerations{});
  CHECK((*intersect(compare(Op::gt, "0"), compare(Op::lt, "2049"))).size() == 2048);
  CHECK_FALSE(intersect(compare(Op::gt, "0"), compare(Op::lt, "2050")));
  // Also where each of them is tolerated anyway.
  const Toleration of_k{.key = "k", .operator_ = Op::exists};
  CHECK_FALSE(intersect(Tolerations{of_k, compare(Op::gt, "0")[0]},
                        Tolerations{of_k, compare(Op::lt, "9223372036854775807")[0]}));
  CHECK_FALSE(intersect(compare(Op::gt, "-9223372036854775808"), compare(Op::lt, "9")));
  // What is tolerated anyway takes no place in the list; what is not does.
  const Toleration of_l{.key = "l", .operator_ = Op::exists};
  CHECK(intersect(Tolerations{of_k, compare(Op::gt, "0")[0]},
                  Tolerations{of_k, compare(Op::lt, "2049")[0]}) == Tolerations{of_k});
  CHECK_FALSE(intersect(Tolerations{of_l, compare(Op::gt, "0")[0]},
                        Tolerations{of_l, compare(Op::lt, "2049")[0]}));
  // No number is above the greatest.
  for (const char* below : {"9", "9223372036854775807"})
    CHECK(intersect(compare(Op::gt, "9223372036854775807"), compare(Op::lt, below)) ==
          Tolerations{});
  CHECK(witness(compare(Op::lt, "-9223372036854775808")) == std::nullopt);
  CHECK((*witness(compare(Op::gt, "9223372036854775806"))).value == "9223372036854775807");
}

TEST_CASE("the smallest list") {
  const Toleration of_a{.key = "a", .operator_ = Op::exists};
  const auto with = [](Toleration toleration, TaintEffect effect,
                       std::optional<std::int64_t> for_ = {}) {
    toleration.effect = effect;
    toleration.toleration_seconds = for_;
    return toleration;
  };
  struct Case {
    const char* name;
    Tolerations given;
    Tolerations smallest;
  };
  const std::vector<Case> cases = {
      {"nothing", {}, {}},
      {"the three effects are one without",
       {with(of_a, no_execute), with(of_a, no_schedule), with(of_a, prefer_no_schedule)},
       {of_a}},
      {"two effects are two",
       {with(of_a, no_execute), with(of_a, no_schedule)},
       {with(of_a, no_execute), with(of_a, no_schedule)}},
      {"a bounded effect is not the whole of it",
       {with(of_a, no_execute, 5), with(of_a, no_schedule), with(of_a, prefer_no_schedule)},
       {with(of_a, no_execute, 5), with(of_a, no_schedule), with(of_a, prefer_no_schedule)}},
      {"the longest counts",
       {with(of_a, no_execute, 5), with(of_a, no_execute, 7)},
       {with(of_a, no_execute, 7)}},
      {"two effects of a value beside the third of the key are one of the value",
       {{.key = "a", .value = "x", .effect = no_execute},
        {.key = "a", .value = "x", .effect = no_schedule},
        with(of_a, prefer_no_schedule)},
       {{.key = "a", .value = "x"}, with(of_a, prefer_no_schedule)}},
      {"an effect of a key beside the other two of all keys stays that effect",
       {{.operator_ = Op::exists, .effect = no_schedule},
        {.operator_ = Op::exists, .effect = prefer_no_schedule},
        with(of_a, no_execute)},
       {{.operator_ = Op::exists, .effect = no_schedule},
        {.operator_ = Op::exists, .effect = prefer_no_schedule},
        with(of_a, no_execute)}},
      {"a key beside two effects of all keys is left with the third",
       {{.operator_ = Op::exists, .effect = no_schedule},
        {.operator_ = Op::exists, .effect = prefer_no_schedule},
        of_a},
       {{.operator_ = Op::exists, .effect = no_schedule},
        {.operator_ = Op::exists, .effect = prefer_no_schedule},
        with(of_a, no_execute)}},
      {"a key beside all keys", {of_a, {.operator_ = Op::exists}}, {{.operator_ = Op::exists}}},
      {"what tolerates nothing", {{.key = "a", .operator_ = OpenEnum<Op>("Is")}}, {}},
      {"numbers that others cover together",
       {{.key = "a", .operator_ = Op::lt, .value = "3"},
        {.key = "a", .operator_ = Op::lt, .value = "2"},
        {.key = "a", .value = "2"}},
       {{.key = "a", .operator_ = Op::lt, .value = "3"}}},
      {"numbers stand in the order in which they are given, without those that others cover",
       {{.key = "a", .operator_ = Op::gt, .value = "7"},
        {.key = "a", .operator_ = Op::lt, .value = "2"},
        {.key = "a", .operator_ = Op::lt, .value = "3"}},
       {{.key = "a", .operator_ = Op::gt, .value = "7"},
        {.key = "a", .operator_ = Op::lt, .value = "3"}}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(schedpol::smallest(c.given) == c.smallest);
  }
}

TEST_CASE("no list is smaller than the smallest, tried with all that could be in it") {
  Random random(3);
  Tolerations universe;
  for (const char* key : {"", "a"})
    for (const Op op : {Op::exists, Op::equal})
      for (const TaintEffect effect : {every_effect, no_schedule, prefer_no_schedule, no_execute})
        for (const bool bounded : {false, true})
          if (effect == no_execute || !bounded)
            universe.push_back({key, op, op == Op::equal ? "x" : "", effect,
                                bounded ? std::optional<std::int64_t>(5) : std::nullopt});
  for (int i = 0; i < schedpol::testing::times(100); ++i) {
    Tolerations given;
    for (std::size_t n = random.below(7); n > 0; --n) given.push_back(random.pick(universe));
    CAPTURE(given);
    const Tolerations smallest = schedpol::smallest(given);
    REQUIRE(covers_every_taint(smallest, given));
    REQUIRE(covers_every_taint(given, smallest));
    if (smallest.empty() || smallest.size() > 3) continue;
    const std::size_t fewer = smallest.size() - 1;
    std::vector<std::size_t> at(fewer, 0);
    for (bool more = true; more;) {
      Tolerations tried;
      for (const std::size_t index : at) tried.push_back(universe[index]);
      REQUIRE_FALSE((covers_every_taint(tried, given) && covers_every_taint(given, tried)));
      std::size_t digit = 0;
      while (digit < fewer && ++at[digit] == universe.size()) at[digit++] = 0;
      more = digit < fewer;
    }
  }
}

TEST_CASE("with comparisons the smallest list says the same, and nothing can be left out of it") {
  Random random(4);
  for (int i = 0; i < schedpol::testing::times(600); ++i) {
    const Tolerations given = tolerations(random, 6);
    CAPTURE(given);
    const Tolerations smallest = schedpol::smallest(given);
    REQUIRE(smallest.size() <= given.size());
    REQUIRE(covers_every_taint(smallest, given));
    REQUIRE(covers_every_taint(given, smallest));
    for (std::size_t left_out = 0; left_out < smallest.size(); ++left_out) {
      Tolerations others = smallest;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
      REQUIRE_FALSE(covers_every_taint(others, given));
    }
  }
}

}  // namespace toleration_algebra_test
