// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/names.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace names_test {

using schedpol::Names;
using schedpol::testing::List;

static_assert(std::regular<Names>);
static_assert(std::is_nothrow_move_constructible_v<Names>);
static_assert(sizeof(Names) <= 2 * sizeof(void*));

TEST_CASE("names are listed in their order") {
  const Names names = {"a", "b"};
  CHECK(names.size() == 2);
  CHECK(names[0] == "a");
  CHECK(names == List{"a", "b"});
  CHECK(List(names.begin(), names.end()) == List{"a", "b"});
  CHECK(names.more() == 0);
  CHECK(Names() == List{});
  CHECK(Names().empty());
  CHECK(Names(List{}).empty());
  CHECK(!Names{""}.empty());
}

TEST_CASE("names are equal when all of them are, those that are not listed too") {
  CHECK(Names{"a"} == Names{"a"});
  CHECK(Names{"a"} != Names{"b"});
  CHECK(Names(List{"a"}, 1) != Names{"a"});
  CHECK(Names(List{"a"}, 1) == Names(List{"a"}, 1));
}

TEST_CASE("copies share one list") {
  const Names names(List(4'000, "policy"));
  const Names copy = names;
  CHECK(copy.vector().data() == names.vector().data());
}

TEST_CASE("names that are given others are those, listed or not") {
  Names names = {"a"};
  names = Names(List{"b"}, 2);
  CHECK(names == Names(List{"b"}, 2));
  names = {};
  CHECK(names == Names());
}

TEST_CASE("names that were moved from list none") {
  Names names = {"a"};
  const Names other = std::move(names);
  CHECK(other == List{"a"});
  CHECK(names.empty());  // NOLINT(bugprone-use-after-move)
  CHECK(List(names.begin(), names.end()).empty());
}

TEST_CASE("a list of names outlives what it was taken from") {
  const List kept = Names{"a", "b"}.vector();
  CHECK(kept == List{"a", "b"});
}

}  // namespace names_test
