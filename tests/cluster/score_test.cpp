// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "../resource_policy/clusters.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace score_test {

using Counts = std::vector<std::int64_t>;

static_assert(score_per_priority == 20);
static_assert(score_outside_units == -20);

constexpr std::int64_t int32_max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t int32_min = std::numeric_limits<std::int32_t>::min();

TEST_CASE("scores are normalised to 0..100, from the lowest to the highest, rounded down") {
  struct Case {
    std::string name;
    Counts scores;
    Counts normalised;
  };
  constexpr std::int64_t highest = 20 * int32_max;
  constexpr std::int64_t lowest = 20 * int32_min;
  const Case cases[] = {
      {"none", {}, {}},
      {"one", {60}, {100}},
      {"all equal", {-20, -20, -20}, {100, 100, 100}},
      {"two", {-20, 0}, {0, 100}},
      {"in their order", {100, -20, 40}, {100, 0, 50}},
      {"a third is rounded down", {0, 20, 60}, {0, 33, 100}},
      {"two thirds are rounded down", {0, 40, 60}, {0, 66, 100}},
      {"below zero too", {-60, -20, 0}, {0, 66, 100}},
      {"almost all", {0, 19'999'980, 20'000'000}, {0, 99, 100}},
      {"the extremes", {lowest, highest, 0}, {0, 100, 50}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK((normalise(c.scores) == c.normalised));
  }
}

TEST_CASE("scores are normalised whatever their distance") {
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  constexpr auto highest = std::numeric_limits<std::int64_t>::max();
  CHECK(normalise(Counts{lowest, 0, highest}) == Counts{0, 50, 100});
  CHECK(normalise(Counts{highest, highest - 1}) == Counts{100, 0});
  // A hundredth, rounded up, of the largest range that is exact, and two of the largest from zero.
  CHECK(normalise(Counts{0, 1'844'674'407'370'956, 184'467'440'737'095'516}) == Counts{0, 1, 100});
  CHECK(normalise(Counts{0, 184'467'440'737'095'552, highest}) == Counts{0, 2, 100});
}

TEST_CASE("scores of some nodes are normalised among themselves") {
  NodeSet nodes;
  for (const std::size_t node : {1U, 2U, 4U, 5U, 9U}) nodes.insert(node);
  CHECK(normalise(Counts{7, 60, -20, 7, 20}, nodes) == Counts{7, 100, 0, 7, 50});
  CHECK(normalise(Counts{7, 5, 5, 7, 5}, nodes) == Counts{7, 100, 100, 7, 100});
  CHECK(normalise(Counts{7, 5}, NodeSet()) == Counts{7, 5});
  CHECK(normalise(Counts{}, nodes).empty());
}

}  // namespace score_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
