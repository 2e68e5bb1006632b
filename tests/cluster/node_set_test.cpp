// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/node_set.hpp>

#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace node_set_test {

using schedpol::NodeSet;
using Numbers = std::vector<std::size_t>;

static_assert(std::is_nothrow_move_constructible_v<NodeSet>);
static_assert(std::forward_iterator<NodeSet::Iterator>);
static_assert(noexcept(std::declval<const NodeSet&>().contains(0)));
static_assert(noexcept(std::declval<const NodeSet&>().size()));
static_assert(noexcept(std::declval<const NodeSet&>().empty()));
static_assert(noexcept(std::declval<NodeSet&>() &= std::declval<const NodeSet&>()));
static_assert(noexcept(std::declval<NodeSet&>() -= std::declval<const NodeSet&>()));

NodeSet set_of(const Numbers& numbers) {
  NodeSet set;
  for (const std::size_t number : numbers) set.insert(number);
  return set;
}

/// The numbers in the set, after each way to ask for them has told the same.
Numbers numbers(const NodeSet& set) {
  const Numbers numbers(set.begin(), set.end());
  CHECK(numbers.size() == set.size());
  Numbers one_by_one;
  for (auto at = set.begin(); at != set.end();) one_by_one.push_back(*at++);
  CHECK(one_by_one == numbers);
  CHECK(numbers.empty() == set.empty());
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  Numbers contained;
  for (std::size_t i = 0; i < (numbers.empty() ? 200 : numbers.back() + 200); ++i) {
    if (set.contains(i)) contained.push_back(i);
  }
  CHECK(contained == numbers);
  return numbers;
}

TEST_CASE("a set has the numbers that were put into it") {
  struct Case {
    std::string name;
    Numbers inserted;
    Numbers wanted;
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"zero", {0}, {0}},
      {"in any order, once", {7, 3, 7, 5, 3}, {3, 5, 7}},
      {"around the edges of words", {0, 63, 64, 65, 127, 128, 191}, {0, 63, 64, 65, 127, 128, 191}},
      {"far apart", {1000, 1}, {1, 1000}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(numbers(set_of(c.inserted)) == c.wanted);
  }
  CHECK(!set_of({1}).contains(std::numeric_limits<std::size_t>::max()));
}

TEST_CASE("what is taken out of a set is not in it") {
  NodeSet set = set_of({1, 63, 64, 200});
  set.erase(63);
  set.erase(2);
  set.erase(std::numeric_limits<std::size_t>::max());
  CHECK(numbers(set) == Numbers{1, 64, 200});
  set.erase(200);
  CHECK(numbers(set) == Numbers{1, 64});
  set.clear();
  CHECK(numbers(set).empty());
  set.insert(70);
  CHECK(numbers(set) == Numbers{70});
}

TEST_CASE("sets of different sizes have the same numbers or not, whatever they once had") {
  NodeSet set = set_of({1, 500});
  CHECK(set != set_of({1}));
  set.erase(500);
  CHECK(set == set_of({1}));
  CHECK(set_of({1}) == set);
  set.erase(1);
  CHECK(set == NodeSet());
}

TEST_CASE("sets of any sizes intersect, unite and differ") {
  const Numbers none = {};
  struct Case {
    std::string name;
    Numbers a, b, both, either, alone;
  };
  const Case cases[] = {
      {"none and none", none, none, none, none, none},
      {"none and some", none, {1, 300}, none, {1, 300}, none},
      {"some and none", {1, 300}, none, none, {1, 300}, {1, 300}},
      {"a small and a large one", {0, 1, 2}, {1, 300}, {1}, {0, 1, 2, 300}, {0, 2}},
      {"a large and a small one", {1, 64, 300}, {1, 2}, {1}, {1, 2, 64, 300}, {64, 300}},
      {"one and itself", {5, 64}, {5, 64}, {5, 64}, {5, 64}, none},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const NodeSet a = set_of(c.a);
    const NodeSet b = set_of(c.b);
    CHECK(numbers(a & b) == c.both);
    CHECK(numbers(a | b) == c.either);
    CHECK(numbers(a - b) == c.alone);
    CHECK(numbers(a) == c.a);
    CHECK(numbers(b) == c.b);
  }
}

TEST_CASE("a set does what a std::set of numbers does") {
  for (std::uint32_t seed = 0; seed < schedpol::testing::tries(500); ++seed) {
    CAPTURE(seed);
    schedpol::testing::Random random(seed);
    const auto some = [&] {
      Numbers picked(random.below(40));
      const std::size_t below = 1 + random.below(300);
      for (std::size_t& number : picked) number = random.below(below);
      return picked;
    };
    const Numbers first = some();
    const Numbers second = some();
    const std::set<std::size_t> a(first.begin(), first.end());
    const std::set<std::size_t> b(second.begin(), second.end());
    Numbers both, either, alone;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(either));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(alone));
    CHECK(numbers(set_of(first) & set_of(second)) == both);
    CHECK(numbers(set_of(first) | set_of(second)) == either);
    CHECK(numbers(set_of(first) - set_of(second)) == alone);
    CHECK((set_of(first) == set_of(second)) == (a == b));
  }
}

}  // namespace node_set_test
