// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/name_order.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <vector>

namespace name_order_test {

using schedpol::detail::NamedObject;
using schedpol::detail::namesakes;
using schedpol::detail::sort_by_name;
using schedpol::detail::UniqueNames;

TEST_CASE("objects are ordered by name, scope, namespace and place") {
  std::vector<NamedObject> objects = {
      {"b", true, "x", 0}, {"a", true, "y", 1}, {"a", true, "x", 2}, {"B", true, "z", 3},
      {"a", false, "", 4}, {"a", true, "", 5},  {"", true, "z", 6},  {"a", true, "x", 7},
  };
  sort_by_name(objects);
  std::vector<std::size_t> order;
  for (const NamedObject& object : objects) order.push_back(object.index);
  CHECK(order == std::vector<std::size_t>{6, 3, 4, 5, 2, 7, 1, 0});
}

TEST_CASE("of equal names those of the cluster come first, wherever they stand in the list") {
  std::vector<NamedObject> objects = {{"a", true, "", 0}, {"a", false, "", 1}};
  sort_by_name(objects);
  CHECK(objects.front().index == 1);
  CHECK(objects.back().index == 0);
}

TEST_CASE("no objects are in order") {
  std::vector<NamedObject> objects;
  sort_by_name(objects);
  CHECK(objects.empty());
}

TEST_CASE("namesakes agree in name, scope and namespace") {
  const NamedObject named{"a", true, "x", 0};
  CHECK(named.is_namesake({"a", true, "x", 1}));
  CHECK_FALSE(named.is_namesake({"A", true, "x", 0}));
  CHECK_FALSE(named.is_namesake({"a", true, "y", 0}));
  CHECK_FALSE(NamedObject{"a", true, "", 0}.is_namesake({"a", false, "", 0}));
}

TEST_CASE("namesakes are those that have one before them") {
  std::vector<NamedObject> objects = {{"b", true, "x", 0}, {"a", true, "x", 1}, {"b", true, "x", 2},
                                      {"b", true, "y", 3}, {"b", false, "", 4}, {"b", true, "x", 5},
                                      {"c", true, "", 6},  {"c", false, "", 7}};
  sort_by_name(objects);
  const std::vector<NamedObject> later = namesakes(objects);
  REQUIRE(later.size() == 2);
  CHECK(later[0].index == 2);
  CHECK(later[1].index == 5);
  CHECK(namesakes({}).empty());
  CHECK(namesakes({objects.data(), 1}).empty());
}

TEST_CASE("a name is new once in each namespace") {
  UniqueNames names;
  CHECK(names.add("a"));
  CHECK(!names.add("a"));
  CHECK(names.add("b"));
  CHECK(names.add("a", "x"));
  CHECK(names.add("a", "y"));
  CHECK(!names.add("a", "x"));
  CHECK(names.add("x", "a"));
  CHECK(names.add(""));
  CHECK(!names.add(""));
}

}  // namespace name_order_test
