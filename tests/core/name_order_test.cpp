// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/name_order.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <vector>

using schedpol::detail::Named;
using schedpol::detail::sort_by_name;

TEST_CASE("objects are ordered by name, scope, namespace and place") {
  std::vector<Named> objects = {
      {"b", true, "x", 0}, {"a", true, "y", 1}, {"a", true, "x", 2}, {"B", true, "z", 3},
      {"a", false, "", 4}, {"a", true, "", 5},  {"", true, "z", 6},  {"a", true, "x", 7},
  };
  sort_by_name(objects);
  std::vector<std::size_t> order;
  for (const Named& object : objects) order.push_back(object.index);
  CHECK(order == std::vector<std::size_t>{6, 3, 4, 5, 2, 7, 1, 0});
}

TEST_CASE("no objects are in order") {
  std::vector<Named> objects;
  sort_by_name(objects);
  CHECK(objects.empty());
}

TEST_CASE("namesakes agree in name, scope and namespace") {
  const Named named{"a", true, "x", 0};
  CHECK(named.is_namesake({"a", true, "x", 1}));
  CHECK_FALSE(named.is_namesake({"A", true, "x", 0}));
  CHECK_FALSE(named.is_namesake({"a", true, "y", 0}));
  CHECK_FALSE(Named{"a", true, "", 0}.is_namesake({"a", false, "", 0}));
}
