// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/toleration.hpp>

#include "toleration_universe.hpp"

#include <algorithm>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace toleration_test {

using namespace toleration_universe;

using schedpol::find_untolerated;
using schedpol::to_string;

static_assert(std::is_aggregate_v<Taint>);
static_assert(std::is_nothrow_move_constructible_v<Taint>);
static_assert(std::equality_comparable<Taint>);
static_assert(std::is_aggregate_v<Toleration>);
static_assert(std::is_nothrow_move_constructible_v<Toleration>);
static_assert(std::is_nothrow_move_assignable_v<Toleration>);
static_assert(std::equality_comparable<Toleration>);
static_assert(noexcept(tolerates(Toleration(), Taint())));
static_assert(noexcept(covers(Toleration(), Toleration())));
static_assert(noexcept(Toleration() == Toleration()));
static_assert(schedpol::taint_effects.size() == 3);
static_assert(std::count(schedpol::taint_effects.begin(), schedpol::taint_effects.end(),
                         TaintEffect::unset) == 0);
constexpr auto every_effect = TaintEffect::unset;

bool contains(const TaintSet& all, const TaintSet& some) {
  return (some & ~all).none();
}

/// How long a NoExecute taint is tolerated, where the API server permits tolerationSeconds: with
/// that effect only.
std::int64_t patience(const Toleration& toleration) {
  return toleration.toleration_seconds.value_or(std::numeric_limits<std::int64_t>::max());
}
bool has_valid_seconds(const Toleration& toleration) {
  return !toleration.toleration_seconds || toleration.effect == no_execute;
}

TEST_CASE("a toleration tolerates a taint when effect, key and value agree") {
  const Taint gpu = taint("dedicated", "gpu");
  struct Case {
    std::string name;
    Toleration toleration;
    Taint taint;
    bool tolerated;
  };
  const Case cases[] = {
      {"the same pair and effect", {"dedicated", Op::equal, "gpu", no_schedule}, gpu, true},
      {"another effect", {"dedicated", Op::equal, "gpu", no_execute}, gpu, false},
      {"no effect", {"dedicated", Op::equal, "gpu", {}}, gpu, true},
      {"no effect, a NoExecute taint",
       {"dedicated", Op::equal, "gpu", {}},
       taint("dedicated", "gpu", no_execute),
       true},
      {"no effect, a taint of an unknown effect",
       {"dedicated", Op::equal, "gpu", {}},
       taint("dedicated", "gpu", OpenEffect("Never")),
       true},
      {"an unknown effect is equal to itself",
       {"dedicated", Op::equal, "gpu", OpenEffect("Never")},
       taint("dedicated", "gpu", OpenEffect("Never")),
       true},
      {"an unknown effect is not another",
       {"dedicated", Op::equal, "gpu", OpenEffect("Ever")},
       taint("dedicated", "gpu", OpenEffect("Never")),
       false},
      {"an unknown effect is not every effect",
       {"dedicated", Op::exists, "", OpenEffect("Never")},
       gpu,
       false},
      {"seconds have no say", {"dedicated", Op::equal, "gpu", no_schedule, 0}, gpu, true},

      {"another key", {"spot", Op::equal, "gpu", no_schedule}, gpu, false},
      {"a prefix of the key", {"dedicate", Op::exists, "", no_schedule}, gpu, false},
      {"no key, Exists", {"", Op::exists, "", no_schedule}, gpu, true},
      {"no key, Exists, no effect", {"", Op::exists, "", {}}, gpu, true},
      {"no key, Equal with the value", {"", Op::equal, "gpu", no_schedule}, gpu, true},
      {"no key, Equal with another value", {"", Op::equal, "", no_schedule}, gpu, false},
      {"nothing at all, a taint without value", {}, taint("dedicated", ""), true},
      {"nothing at all, a taint with a value", {}, gpu, false},

      {"no operator is Equal", {"dedicated", {}, "gpu", no_schedule}, gpu, true},
      {"no operator, another value", {"dedicated", {}, "cpu", no_schedule}, gpu, false},
      {"Equal, another value", {"dedicated", Op::equal, "cpu", no_schedule}, gpu, false},
      {"Equal, another case", {"dedicated", Op::equal, "GPU", no_schedule}, gpu, false},
      {"Equal, no value", {"dedicated", Op::equal, "", no_schedule}, gpu, false},
      {"Equal, no value on either side",
       {"dedicated", Op::equal, "", no_schedule},
       taint("dedicated", ""),
       true},
      {"Exists", {"dedicated", Op::exists, "", no_schedule}, gpu, true},
      {"Exists with another value", {"dedicated", Op::exists, "cpu", no_schedule}, gpu, true},
      {"an unknown operator", {"dedicated", OpenOp("Is"), "gpu", no_schedule}, gpu, false},
      {"Equal in another case", {"dedicated", OpenOp("equal"), "gpu", no_schedule}, gpu, false},
      {"an unknown operator without key", {"", OpenOp("Is"), "", {}}, gpu, false},
      {"Lt, a value that is no number", {"dedicated", Op::lt, "5", no_schedule}, gpu, false},
      {"Lt, another key", {"spot", Op::lt, "5", no_schedule}, taint("dedicated", "1"), false},
      {"Lt, another effect",
       {"dedicated", Op::lt, "5", no_execute},
       taint("dedicated", "1"),
       false},
      {"Lt, no effect", {"dedicated", Op::lt, "5", {}}, taint("dedicated", "1"), true},
      {"Gt, no key", {"", Op::gt, "5", no_schedule}, taint("dedicated", "6"), true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.toleration);
    CHECK(tolerates(c.toleration, c.taint) == c.tolerated);
  }
}

TEST_CASE("Lt and Gt compare the taint's value with the toleration's, both int64") {
  struct Case {
    std::string name;
    std::string taint_value;
    std::string toleration_value;
    bool less;
    bool greater;
  };
  const Case cases[] = {
      {"less", "4", "5", true, false},
      {"equal", "5", "5", false, false},
      {"greater", "6", "5", false, true},
      {"by value, not by text", "9", "10", true, false},
      {"negative and positive", "-5", "4", true, false},
      {"both negative", "-5", "-6", false, true},
      {"zero", "0", "1", true, false},
      {"zero and zero", "0", "0", false, false},
      {"zero and a negative", "0", "-1", false, true},
      {"the limits", "-9223372036854775808", "9223372036854775807", true, false},
      {"the largest", "9223372036854775807", "9223372036854775806", false, true},
      {"the smallest", "-9223372036854775808", "-9223372036854775807", true, false},
      {"the smallest and itself", "-9223372036854775808", "-9223372036854775808", false, false},
      {"beyond the largest", "1", "9223372036854775808", false, false},
      {"beyond the largest in the taint", "9223372036854775808", "1", false, false},
      {"beyond the smallest", "1", "-9223372036854775809", false, false},
      {"beyond the smallest in the taint", "-9223372036854775809", "1", false, false},
      {"far beyond", "1", "100000000000000000000000000000", false, false},
      {"what would wrap around to less", "5", "18446744073709551617", false, false},
      {"a leading zero", "01", "5", false, false},
      {"a leading zero in the toleration", "1", "05", false, false},
      {"a leading zero after the sign", "-01", "5", false, false},
      {"two zeros", "00", "5", false, false},
      {"a plus", "+1", "5", false, false},
      {"a plus in the toleration", "1", "+5", false, false},
      {"minus zero", "-0", "5", false, false},
      {"minus zero in the toleration", "1", "-0", false, false},
      {"a minus alone", "-", "5", false, false},
      {"two signs", "--1", "5", false, false},
      {"nothing", "", "5", false, false},
      {"nothing in the toleration", "1", "", false, false},
      {"nothing on either side", "", "", false, false},
      {"a space before", " 1", "5", false, false},
      {"a space after", "1 ", "5", false, false},
      {"a fraction", "1.0", "5", false, false},
      {"an exponent", "1e0", "5", false, false},
      {"hexadecimal", "0x1", "5", false, false},
      {"letters after", "1a", "5", false, false},
      {"a zero byte after", std::string("1\0", 2), "5", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Taint score = taint("score", c.taint_value);
    CHECK(tolerates({"score", Op::lt, c.toleration_value, no_schedule}, score) == c.less);
    CHECK(tolerates({"score", Op::gt, c.toleration_value, no_schedule}, score) == c.greater);
  }
}

TEST_CASE("a toleration without an effect tolerates every effect") {
  for (const Toleration& toleration : universe()) {
    if (toleration.effect != every_effect) continue;
    CAPTURE(toleration);
    for (const std::string value : {"", "1", "2"}) {
      const bool first = tolerates(toleration, taint("a", value, schedpol::taint_effects[0]));
      for (const TaintEffect effect : schedpol::taint_effects) {
        CHECK(tolerates(toleration, taint("a", value, effect)) == first);
      }
    }
  }
}

TEST_CASE("the untolerated taints are those that no toleration tolerates, in their order") {
  const std::vector<Taint> node = {taint("dedicated", "gpu"), taint("spot", "true", no_execute),
                                   taint("old", "", prefer_no_schedule)};
  const Toleration gpu = {"dedicated", Op::equal, "gpu", no_schedule};
  const Toleration spot = {"spot", Op::exists, "", {}};
  struct Case {
    std::string name;
    Tolerations tolerations;
    std::vector<Taint> untolerated;
  };
  const Case cases[] = {
      {"no tolerations", {}, node},
      {"one", {gpu}, {node[1], node[2]}},
      {"another", {spot}, {node[0], node[2]}},
      {"two", {spot, gpu}, {node[2]}},
      {"everything", {{"", Op::exists, "", {}}}, {}},
      {"everything of an effect", {{"", Op::exists, "", no_execute}}, {node[0], node[2]}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK((find_untolerated(c.tolerations, node) == c.untolerated));
    CHECK(find_untolerated(c.tolerations, {}).empty());
  }
  const std::vector<Taint> twice = {node[0], node[0]};
  CHECK((find_untolerated({}, twice) == twice));
}

TEST_CASE("of several bounds of one key the widest decides, wherever it stands") {
  const std::vector<Taint> taints = {taint("free", "3"), taint("free", "6"), taint("free", "9")};
  const auto untolerated = [&](Op op, std::vector<std::string> bounds) {
    Tolerations tolerations;
    for (std::string& bound : bounds) tolerations.push_back({"free", op, std::move(bound), {}});
    return find_untolerated(tolerations, taints);
  };
  for (const std::vector<std::string>& bounds :
       {std::vector<std::string>{"5", "8"}, {"8", "5"}, {"no number", "8", "5"}, {"5", "8", "x"}}) {
    CAPTURE(bounds.front());
    CHECK((untolerated(Op::lt, bounds) == std::vector<Taint>{taints[2]}));
    CHECK((untolerated(Op::gt, bounds) == std::vector<Taint>{taints[0]}));
  }
}

TEST_CASE("tolerations are equal when they mean the same") {
  const Toleration gpu = {"dedicated", Op::equal, "gpu", no_execute, 300};
  CHECK(gpu == Toleration{"dedicated", {}, "gpu", no_execute, 300});
  CHECK(gpu == Toleration{"dedicated", OpenOp("Equal"), "gpu", OpenEffect("NoExecute"), 300});
  CHECK(gpu != Toleration{"dedicate", Op::equal, "gpu", no_execute, 300});
  CHECK(gpu != Toleration{"dedicated", Op::exists, "gpu", no_execute, 300});
  CHECK(gpu != Toleration{"dedicated", OpenOp("equal"), "gpu", no_execute, 300});
  CHECK(gpu != Toleration{"dedicated", Op::equal, "cpu", no_execute, 300});
  CHECK(gpu != Toleration{"dedicated", Op::equal, "gpu", {}, 300});
  CHECK(gpu != Toleration{"dedicated", Op::equal, "gpu", no_execute, 299});
  CHECK(gpu != Toleration{"dedicated", Op::equal, "gpu", no_execute});
  CHECK(Toleration{"a", Op::exists, "1"} != Toleration{"a", Op::exists, "2"});
}

TEST_CASE("a toleration covers what it tolerates at least as well") {
  const Toleration all = {"", Op::exists, "", {}};
  const Toleration any_gpu = {"gpu", Op::exists, "", {}};
  const Toleration gpu = {"gpu", Op::equal, "true", no_schedule};
  const auto evict = [](Seconds seconds) {
    return Toleration{"gpu", Op::exists, "", no_execute, seconds};
  };
  struct Case {
    std::string name;
    Toleration a;
    Toleration b;
    bool covers;
  };
  const Case cases[] = {
      {"itself", gpu, gpu, true},
      {"no operator and Equal", {"gpu", {}, "true", no_schedule}, gpu, true},
      {"Equal and no operator", gpu, {"gpu", {}, "true", no_schedule}, true},
      {"everything covers all", all, gpu, true},
      {"nothing else covers everything", any_gpu, all, false},
      {"any value covers a value", any_gpu, gpu, true},
      {"a value does not cover any", gpu, any_gpu, false},
      {"any value covers Lt", any_gpu, {"gpu", Op::lt, "5", no_schedule}, true},
      {"another key", {"spot", Op::exists, "", {}}, gpu, false},
      {"no key, Exists", {"", Op::exists, "", no_schedule}, gpu, true},
      {"no key, Equal", {"", Op::equal, "true", no_schedule}, gpu, false},
      {"no key, Equal on both sides",
       {"", Op::equal, "true", {}},
       {"", {}, "true", no_schedule},
       true},
      {"no effect covers an effect", {"gpu", Op::equal, "true", {}}, gpu, true},
      {"an effect does not cover no effect", gpu, {"gpu", Op::equal, "true", {}}, false},
      {"another effect", {"gpu", Op::equal, "true", no_execute}, gpu, false},
      {"another value", {"gpu", Op::equal, "false", no_schedule}, gpu, false},
      {"Exists whatever values stand there",
       {"gpu", Op::exists, "1", no_schedule},
       {"gpu", Op::exists, "2", no_schedule},
       true},
      {"Lt of the same value", {"gpu", Op::lt, "5", {}}, {"gpu", Op::lt, "5", no_schedule}, true},
      {"Lt of another value", {"gpu", Op::lt, "6", {}}, {"gpu", Op::lt, "5", {}}, false},
      {"Lt and Gt", {"gpu", Op::lt, "5", {}}, {"gpu", Op::gt, "5", {}}, false},
      {"for as long", evict(300), evict(300), true},
      {"for longer", evict(300), evict(299), true},
      {"for less", evict(299), evict(300), false},
      {"for as long, everything else broader",
       {"", Op::exists, "", no_execute, 300},
       evict(300),
       true},
      {"for ever", evict({}), evict(300), true},
      {"not for ever", evict(300), evict({}), false},
      {"not for ever, everything else broader",
       {"", Op::exists, "", no_execute, 300},
       evict({}),
       false},
      {"seconds count with NoExecute only",
       {"gpu", Op::exists, "", no_schedule, 1},
       {"gpu", Op::exists, "", no_schedule},
       true},
      {"an unknown operator and itself",
       {"gpu", OpenOp("Is"), "1", {}},
       {"gpu", OpenOp("Is"), "1", {}},
       true},
      {"an unknown operator and a narrower one",
       {"gpu", OpenOp("Is"), "1", {}},
       {"gpu", OpenOp("Is"), "1", no_schedule},
       false},
      {"everything and an unknown operator", all, {"gpu", OpenOp("Is"), "1", {}}, true},
      {"an unknown effect and itself",
       {"gpu", Op::exists, "", OpenEffect("Never")},
       {"gpu", Op::exists, "", OpenEffect("Never")},
       true},
      {"an unknown effect and a narrower value",
       {"gpu", Op::exists, "", OpenEffect("Never")},
       {"gpu", Op::equal, "1", OpenEffect("Never")},
       true},
      {"an unknown effect and another",
       {"gpu", Op::exists, "", OpenEffect("Never")},
       {"gpu", Op::exists, "", OpenEffect("never")},
       false},
      {"an unknown effect and every effect",
       {"gpu", Op::exists, "", OpenEffect("Never")},
       {"gpu", Op::exists, "", {}},
       false},
      {"every key and an unknown effect",
       {"", Op::exists, "", OpenEffect("Never"), 5},
       {"gpu", Op::exists, "", OpenEffect("Never")},
       true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.a);
    CAPTURE(c.b);
    CHECK(covers(c.a, c.b) == c.covers);
  }
}

TEST_CASE("covers is reflexive, transitive and agrees with tolerates") {
  const Tolerations all = universe();
  constexpr std::size_t count = 648;
  REQUIRE(all.size() == count);
  REQUIRE(taints().size() == TaintSet().size());
  std::vector<std::bitset<count>> covered(count);
  std::vector<TaintSet> sets(count);
  for (std::size_t a = 0; a < count; ++a) {
    sets[a] = tolerated(all[a]);
    for (std::size_t b = 0; b < count; ++b) covered[a][b] = covers(all[a], all[b]);
  }
  std::size_t covering = 0;
  std::size_t failures = 0;
  const auto expect = [&](bool holds, const char* law, std::size_t a, std::size_t b) {
    if (holds) return;
    ++failures;
    const std::string which = law;
    CAPTURE(which);
    CAPTURE(all[a]);
    CAPTURE(all[b]);
    CHECK(holds);
  };
  for (std::size_t a = 0; a < count && failures < 10; ++a) {
    expect(covered[a][a], "reflexive", a, a);
    for (std::size_t b = 0; b < count; ++b) {
      if (all[a] == all[b]) expect(covered[a][b], "equal ones cover each other", a, b);
      if (!covered[a][b]) continue;
      ++covering;
      expect((covered[b] & ~covered[a]).none(), "transitive", a, b);
      expect(contains(sets[a], sets[b]), "agrees with tolerates", a, b);
      if (has_valid_seconds(all[a]) && has_valid_seconds(all[b]) && all[b].effect == no_execute) {
        expect(patience(all[a]) >= patience(all[b]), "for at least as long", a, b);
      }
    }
  }
  CHECK(failures == 0);
  CHECK(covering > count);
}

TEST_CASE("a toleration is shown on one line, as in kubectl") {
  struct Case {
    std::string name;
    Toleration toleration;
    std::string text;
  };
  const Case cases[] = {
      {"Equal", {"dedicated", Op::equal, "gpu", no_schedule}, "dedicated=gpu:NoSchedule"},
      {"no operator",
       {"dedicated", {}, "gpu", prefer_no_schedule},
       "dedicated=gpu:PreferNoSchedule"},
      {"Exists for a while",
       {"spot", Op::exists, "", no_execute, 300},
       "spot Exists:NoExecute for 300s"},
      {"Exists with a value", {"spot", Op::exists, "x", no_execute}, "spot Exists x:NoExecute"},
      {"Lt", {"score", Op::lt, "5", no_schedule}, "score Lt 5:NoSchedule"},
      {"Gt, every effect", {"score", Op::gt, "-5", {}}, "score Gt -5"},
      {"everything", {"", Op::exists, "", {}}, "* Exists"},
      {"nothing", {}, "*="},
      {"a key that is a star", {"*", Op::exists, "", {}}, "\\* Exists"},
      {"every effect for a while", {"a", Op::exists, "", {}, 5}, "a Exists for 5s"},
      {"negative seconds", {"a", Op::exists, "", no_execute, -1}, "a Exists:NoExecute for -1s"},
      {"unknown words", {"a", OpenOp("Is"), "b", OpenEffect("Never")}, "a Is b:Never"},
      {"separators inside",
       {"a=b", OpenOp("a b"), "c:d", OpenEffect("e\\")},
       "a\\=b a\\ b c\\:d:e\\\\"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(to_string(c.toleration) == c.text);
  }
}

TEST_CASE("tolerations have the same text exactly when they are equal") {
  Tolerations all = universe();
  const Tolerations confusing = product(
      {"", "*", "a", "a=b", "a b", "\\"}, {{}, Op::equal, Op::exists, OpenOp("Is"), OpenOp("Is b")},
      {"", " ", ":", "=", "b", "for", "b:NoExecute for 5s", "\\"},
      {{}, no_execute, OpenEffect("Never"), OpenEffect("NoExecute for 5s")},
      {std::nullopt, 0, -5, 5, std::numeric_limits<std::int64_t>::min()});
  all.insert(all.end(), confusing.begin(), confusing.end());
  std::map<std::string, const Toleration*> toleration_of;
  for (const Toleration& toleration : all) {
    const auto [it, inserted] = toleration_of.emplace(to_string(toleration), &toleration);
    if (*it->second == toleration) continue;
    CAPTURE(it->first);
    CHECK(*it->second == toleration);
  }
  for (Toleration toleration : all) {
    if (toleration.operator_ != Op::unset) continue;
    const std::string text = to_string(toleration);
    toleration.operator_ = Op::equal;
    CHECK(to_string(toleration) == text);
  }
}

}  // namespace toleration_test
