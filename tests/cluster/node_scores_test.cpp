// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/node_scores.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace node_scores_test {

using schedpol::Better;
using schedpol::highest;
using schedpol::NodeSet;
using schedpol::normalise_by_highest;
using Numbers = std::vector<std::size_t>;
using Scores = std::vector<std::int64_t>;

NodeSet set_of(const Numbers& numbers) {
  NodeSet set;
  for (const std::size_t number : numbers) set.insert(number);
  return set;
}

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();

TEST_CASE("scores become hundredths of the highest one, or what is missing to it") {
  struct Case {
    std::string name;
    Scores scores;
    Numbers nodes;
    Scores higher;
    Scores lower;
  };
  const Case cases[] = {
      {"none", {}, {}, {}, {}},
      {"one", {7}, {0}, {100}, {0}},
      {"in proportion, rounded down", {1, 2, 3}, {0, 1, 2}, {33, 66, 100}, {67, 34, 0}},
      {"some of the nodes", {1, 9, 3}, {0, 2}, {33, 9, 100}, {67, 9, 0}},
      {"all zero", {0, 0}, {0, 1}, {0, 0}, {100, 100}},
      {"one zero", {0, 5}, {0, 1}, {0, 100}, {100, 0}},
      {"none above zero", {-5, 0}, {0, 1}, {-5, 0}, {100, 100}},
      {"below zero, towards zero", {-1, 3}, {0, 1}, {-33, 100}, {133, 0}},
      {"large", {int64_max / 2, int64_max}, {0, 1}, {49, 100}, {51, 0}},
      {"large and below zero", {-(int64_max / 2), int64_max}, {0, 1}, {-49, 100}, {149, 0}},
      {"the largest of which a hundred times fits",
       {int64_max / 100, -(int64_max / 100), int64_max / 100 * 4},
       {0, 1, 2},
       {25, -25, 100},
       {75, 125, 0}},
      {"the largest of which a hundred times fits without a sign",
       {184'467'440'737'095'516, 184'467'440'737'095'517},
       {0, 1},
       {99, 100},
       {1, 0}},
      {"a hundred times of which would not fit",
       {int64_min, 1},
       {0, 1},
       {int64_min / 128 * 100, 100},
       {100 - int64_min / 128 * 100, 0}},
      {"a node without score", {4}, {0, 9}, {100}, {0}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(normalise_by_highest(c.scores, set_of(c.nodes)) == c.higher);
    CHECK(normalise_by_highest(c.scores, set_of(c.nodes), Better::lower) == c.lower);
  }
}

TEST_CASE("the highest are those that no other node of the set beats") {
  struct Case {
    std::string name;
    Scores scores;
    Numbers nodes;
    Numbers wanted;
  };
  const Case cases[] = {
      {"of no nodes none", {1, 2}, {}, {}},
      {"one", {1, 3, 2}, {0, 1, 2}, {1}},
      {"several", {3, 1, 3}, {0, 1, 2}, {0, 2}},
      {"not those outside the set", {1, 3, 2}, {0, 2}, {2}},
      {"below zero", {-5, -3}, {0, 1}, {1}},
      {"the least there is", {std::numeric_limits<std::int64_t>::min()}, {0}, {0}},
      {"a node without score has 0", {-5, 0}, {0, 9}, {9}},
      {"and no more", {0}, {0, 9}, {0, 9}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(highest(c.scores, set_of(c.nodes)) == set_of(c.wanted));
  }
}

TEST_CASE("of several that win another one is chosen each turn") {
  const Scores scores = {3, 1, 3, 3};
  std::vector<std::size_t> chosen;
  for (std::size_t turn = 0; turn < 5; ++turn)
    chosen.push_back(*schedpol::choose(scores, set_of({0, 1, 2, 3}), turn));
  CHECK(chosen == std::vector<std::size_t>{0, 2, 3, 0, 2});
  CHECK(*schedpol::choose(scores, set_of({1, 2})) == 2);
  CHECK_FALSE(schedpol::choose(scores, {}).has_value());
}

}  // namespace node_scores_test
