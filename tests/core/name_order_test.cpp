// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/name_order.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <vector>

namespace name_order_test {

using schedpol::detail::NamedObject;
using schedpol::detail::namesakes;
using schedpol::detail::sort_by_name;

TEST_CASE(
    "objects are ordered by name, namespace and place, those of the cluster before those of one") {
  std::vector<NamedObject> objects = {
      {"b", "x", 0}, {"a", "y", 1}, {"a", "x", 2}, {"B", "z", 3},
      {"a", "", 4},  {"a", "", 5},  {"", "z", 6},  {"a", "x", 7},
  };
  sort_by_name(objects);
  std::vector<std::size_t> order;
  for (const NamedObject& object : objects) order.push_back(object.index);
  CHECK(order == std::vector<std::size_t>{6, 3, 4, 5, 2, 7, 1, 0});
}

TEST_CASE("no objects are in order") {
  std::vector<NamedObject> objects;
  sort_by_name(objects);
  CHECK(objects.empty());
}

TEST_CASE("namesakes agree in name and namespace") {
  const NamedObject named{"a", "x", 0};
  CHECK(named.is_namesake({"a", "x", 1}));
  CHECK_FALSE(named.is_namesake({"A", "x", 0}));
  CHECK_FALSE(named.is_namesake({"a", "y", 0}));
  CHECK_FALSE(named.is_namesake({"a", "", 0}));
}

TEST_CASE("namesakes are those that have one before them") {
  std::vector<NamedObject> objects = {{"b", "x", 0}, {"a", "x", 1}, {"b", "x", 2}, {"b", "y", 3},
                                      {"b", "", 4},  {"b", "x", 5}, {"c", "", 6},  {"d", "", 7}};
  sort_by_name(objects);
  const std::vector<NamedObject> later = namesakes(objects);
  REQUIRE(later.size() == 2);
  CHECK(later[0].index == 2);
  CHECK(later[1].index == 5);
  CHECK(namesakes({}).empty());
  CHECK(namesakes({objects.front()}).empty());
}

}  // namespace name_order_test
