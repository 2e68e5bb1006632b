// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/field_path.hpp>

#include <schedpol/base/impl/path_builder.hpp>

#include "../support/count_allocations.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <algorithm>
#include <compare>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace field_path_test {

using schedpol::FieldPath;
using schedpol::to_string;
using schedpol::detail::PathBuilder;
using schedpol::testing::operator""_path;
using Kind = FieldPath::Step::Kind;

static_assert(std::is_nothrow_move_constructible_v<FieldPath>);
static_assert(std::is_nothrow_move_assignable_v<FieldPath>);
static_assert(std::three_way_comparable<FieldPath, std::strong_ordering>);
static_assert(!std::is_convertible_v<std::string, FieldPath>);  // no text is ever parsed
static_assert(!std::is_convertible_v<const char*, FieldPath>);
static_assert(noexcept(FieldPath() <=> FieldPath()));

// A place ends with the path and the places that it comes from.
static_assert(std::is_constructible_v<PathBuilder, const FieldPath&>);
static_assert(!std::is_constructible_v<PathBuilder, FieldPath>);
template <class T>
concept Stepping = requires(T place) { std::forward<T>(place).child("a"); };
static_assert(Stepping<PathBuilder&>);
static_assert(!Stepping<PathBuilder>);

TEST_CASE("a path is printed as the API server spells it") {
  struct Case {
    std::string name;
    FieldPath path;
    std::string text;
  };
  const Case cases[] = {
      {"the object itself", {}, ""},
      {"a field", {"spec"}, "spec"},
      {"fields", {"spec", "affinity"}, "spec.affinity"},
      {"a child", FieldPath{"spec"}.child("affinity"), "spec.affinity"},
      {"an index", FieldPath{"spec", "units"}.index(3), "spec.units[3]"},
      {"a field below an index", FieldPath{"units"}.index(10).child("name"), "units[10].name"},
      {"a key", FieldPath{"nodeSelector"}.key("disk"), "nodeSelector[disk]"},
      {"a key with a prefix", FieldPath{"labels"}.key("example.com/a"), "labels[example.com/a]"},
      {"a key as it is, brackets and all", FieldPath{"a"}.key("b].c[0"), "a[b].c[0]"},
      {"an empty key", FieldPath{"a"}.key(""), "a[]"},
      {"a key of digits", FieldPath{"a"}.key("0"), "a[0]"},
      {"an index in an index", FieldPath{"a"}.index(0).index(1), "a[0][1]"},
      {"no field before an index", FieldPath().index(1), "[1]"},
      {"a field after that", FieldPath().index(1).child("a"), "[1].a"},
      {"a large index", FieldPath{"a"}.index(4294967295U), "a[4294967295]"},
      {"a long name", {std::string(1000, 'a')}, std::string(1000, 'a')},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(to_string(c.path) == c.text);
    CHECK(c.path == std::string_view(c.text));
    CHECK(!(c.path == std::string_view(c.text + "x")));
    CHECK(c.path.empty() == c.text.empty());
  }
}

TEST_CASE("a path is extended without changing the one it came from") {
  const FieldPath spec = {"spec"};
  const FieldPath below = spec.child("units").index(1).key("k");
  CHECK(spec == "spec");
  CHECK(below == "spec.units[1][k]");
  FieldPath moved = below;
  moved = std::move(moved).child("x");
  CHECK(moved == "spec.units[1][k].x");
}

TEST_CASE("a path is made of the steps of another one") {
  const FieldPath path = FieldPath{"spec", "other"}.index(7).child("tolerations").key("k");
  FieldPath copy;
  for (const FieldPath::Step& step : path.steps()) copy.push_back(step);
  CHECK(copy == path);
}

TEST_CASE("a path in an object that stands at another path") {
  CHECK(FieldPath{"a"}.index(2).join(FieldPath{"b"}.key("c")) == "a[2].b[c]");
  CHECK(FieldPath{"a"}.join({}) == FieldPath{"a"});
  CHECK(FieldPath().join(FieldPath{"a"}) == FieldPath{"a"});
}

TEST_CASE("the steps of a path are what it was made of") {
  const FieldPath path = FieldPath{"spec"}.key("a.b").index(7);
  const auto steps = path.steps();
  REQUIRE(steps.size() == 3);
  CHECK((steps[0].kind == Kind::field));
  CHECK(steps[0].name == "spec");
  CHECK((steps[1].kind == Kind::key));
  CHECK(steps[1].name == "a.b");
  CHECK((steps[2].kind == Kind::index));
  CHECK(steps[2].index == 7);
  CHECK(steps[2].name.empty());
  const FieldPath object;
  CHECK(object.steps().empty());
}

TEST_CASE("a parent is one step up") {
  const FieldPath path = FieldPath{"spec", "units"}.index(7).key("k");
  CHECK(path.parent() == "spec.units[7]");
  CHECK(path.parent().parent() == "spec.units");
  CHECK(path.parent().parent().parent() == "spec");
  CHECK(FieldPath{"spec"}.parent().empty());
  CHECK(FieldPath().parent().empty());
}

TEST_CASE("without indices paths of items of one list are equal, and keys stay") {
  const FieldPath second = FieldPath{"a"}.index(2).child("b").key("3");
  const FieldPath other = FieldPath{"a"}.index(700).child("b").key("3");
  CHECK(second != other);
  CHECK(second.without_indices() == other.without_indices());
  CHECK(second.without_indices() == "a[0].b[3]");
  CHECK(second.without_indices() != FieldPath{"a"}.index(2).child("b").key("4").without_indices());
  CHECK(FieldPath().without_indices().empty());
}

TEST_CASE("below its first steps a path is what those lead to") {
  const FieldPath path = FieldPath{"spec", "tolerations"}.index(2).child("own").key("k");
  CHECK(path.below(0) == path);
  CHECK(path.below(1) == FieldPath{"tolerations"}.index(2).child("own").key("k"));
  CHECK(path.below(3) == FieldPath{"own"}.key("k"));
  CHECK(path.below(5).empty());
  CHECK(path.below(6).empty());
  CHECK(FieldPath{"spec"}.join(path.below(1)) == path);
}

TEST_CASE("paths that are printed alike differ where their steps do") {
  CHECK(FieldPath{"a.b"} != FieldPath{"a", "b"});
  CHECK(FieldPath{"a"}.key("0") != FieldPath{"a"}.index(0));
  CHECK(FieldPath{"a"}.key("b][c") != FieldPath{"a"}.key("b").key("c"));
  CHECK(to_string(FieldPath{"a"}.key("0")) == to_string(FieldPath{"a"}.index(0)));
}

TEST_CASE("paths are ordered step by step, indices by number") {
  const std::vector<FieldPath> sorted = {
      {},
      {"a"},
      {"a", "b"},
      FieldPath{"a"}.key("b"),
      FieldPath{"a"}.key("ba"),
      FieldPath{"a"}.index(2),
      FieldPath{"a"}.index(2).child("z"),
      FieldPath{"a"}.index(10),
      FieldPath{"a"}.index(300),
      {"aa"},
      {"b"},
      FieldPath().key("a"),
      FieldPath().index(0),
  };
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      CAPTURE(to_string(sorted[i]));
      CAPTURE(to_string(sorted[j]));
      CHECK((sorted[i] <=> sorted[j]) == (i <=> j));
      CHECK((sorted[i] == sorted[j]) == (i == j));
    }
  }
}

TEST_CASE("a path is of the names it was made of, whether many paths have them or none") {
  constexpr std::string_view names[] = {
      "",     "a",        "affinity",    "affinitz", "effect", "ffect", "key",
      "kez",  "labels",   "matchFields", "metadata", "node",   "spec",  "specs",
      "sped", "template", "\x01spec",    "\xffspec", "value",  "values"};
  for (const std::string_view a : names) {
    const FieldPath path = FieldPath{"spec", a}.index(1).child(a).key(a);
    const std::string text(a);
    CHECK(to_string(path) == "spec." + text + "[1]." + text + "[" + text + "]");
    const auto steps = path.steps();
    REQUIRE(steps.size() == 5);
    CHECK((steps[1].kind == Kind::field && steps[1].name == a));
    CHECK((steps[3].kind == Kind::field && steps[3].name == a));
    CHECK((steps[4].kind == Kind::key && steps[4].name == a));
    CHECK(path.parent() == FieldPath{"spec", a}.index(1).child(a));
    CHECK(path.without_indices() == FieldPath{"spec"}.child(a).index(0).child(a).key(a));
    for (const std::string_view b : names) {
      CAPTURE(a);
      CAPTURE(b);
      CHECK((FieldPath{a} <=> FieldPath{b}) == (a <=> b));
      CHECK((FieldPath{"spec", a} == FieldPath{"spec", b}) == (a == b));
    }
  }
}

TEST_CASE("an index is the number it was made of, whether most lists have it or few") {
  std::vector<std::size_t> indices = {1000, 65535, 4294967295U};
  for (std::size_t i = 0; i <= 300; ++i) indices.push_back(i);
  for (const std::size_t i : indices) {
    CAPTURE(i);
    const FieldPath path = FieldPath{"spec"}.index(i).child("value");
    CHECK(to_string(path) == "spec[" + std::to_string(i) + "].value");
    const auto steps = path.steps();
    REQUIRE(steps.size() == 3);
    CHECK((steps[1].kind == Kind::index && steps[1].index == i && steps[1].name.empty()));
    CHECK((steps[2].kind == Kind::field && steps[2].name == "value"));
    CHECK(path.parent().parent() == "spec");
    CHECK(path.without_indices() == "spec[0].value");
    for (const std::size_t j : {std::size_t{0}, i, i + 1, std::size_t{255}})
      CHECK((FieldPath().index(i) <=> FieldPath().index(j)) == (i <=> j));
  }
}

TEST_CASE("a path of the names and indices that most paths have takes no memory") {
  const schedpol::testing::CountAllocations allocations;
  const FieldPath path = {"spec", "template", "spec", "affinity", "nodeAffinity"};
  FieldPath item = {"spec", "affinity", "nodeAffinity", "nodeSelectorTerms"};
  item.push_back({.kind = Kind::index, .index = 100});
  item.push_back({.kind = Kind::field, .name = "matchExpressions"});
  item.push_back({.kind = Kind::index, .index = 3});
  CHECK(allocations.count() == 0);
}

TEST_CASE("a place is the path it stands for") {
  const PathBuilder object;
  CHECK(object.path().empty());
  CHECK(object.parent() == nullptr);
  const PathBuilder spec = object.child("spec");
  const PathBuilder units = spec.child("units");
  const PathBuilder unit = units.index(3);
  const PathBuilder key = unit.key("a.b");
  CHECK(key.path() == FieldPath{"spec", "units"}.index(3).key("a.b"));
  CHECK(key.parent() == &unit);
  CHECK((key.step().kind == Kind::key));
  CHECK(key.step().name == "a.b");
  CHECK(unit.step().index == 3);
  PathBuilder other = units.index(4);
  other.beside(5);
  CHECK(other.path() == FieldPath{"spec", "units"}.index(5));
  PathBuilder label = unit.key("a");
  label.beside("b");
  CHECK(label.path() == FieldPath{"spec", "units"}.index(3).key("b"));
}

TEST_CASE("a place may begin at a path") {
  const FieldPath root = FieldPath{"items"}.index(1);
  const PathBuilder place = root;
  CHECK(place.path() == root);
  CHECK(place.parent() == nullptr);
  const PathBuilder below = place.child("spec");
  CHECK(below.path() == "items[1].spec");
  CHECK(below.path(FieldPath{"template"}) == "template.items[1].spec");
}

TEST_CASE("tests write paths as they are printed") {
  CHECK(""_path == FieldPath());
  CHECK("spec.units[3].nodeSelector[disk]"_path ==
        FieldPath{"spec", "units"}.index(3).child("nodeSelector").key("disk"));
  CHECK("labels[example.com/a]"_path == FieldPath{"labels"}.key("example.com/a"));
  CHECK("a[0][b].c"_path == FieldPath{"a"}.index(0).key("b").child("c"));
}

}  // namespace field_path_test
