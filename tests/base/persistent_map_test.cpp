// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/impl/persistent_map.hpp>

#include "../support/count_allocations.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>

namespace SCHEDPOL_NAMESPACE::detail {
namespace persistent_map_test {

PersistentMap<int> numbers(int size) {
  PersistentMap<int> map;
  for (int i = 0; i < size; ++i) map[{'n', std::to_string(i), "x"}] = i;
  return map;
}

TEST_CASE("values of a persistent map are found by kind and both texts") {
  PersistentMap<int> map;
  CHECK(map.find({'a', "b", "c"}) == nullptr);
  map[{'a', "b", "c"}] = 1;
  map[{'a', "b", ""}] = 2;
  map[{'A', "b", "c"}] = 3;
  map[{'a', "", "bc"}] = 4;
  CHECK(map.size() == 4);
  CHECK(*map.find({'a', "b", "c"}) == 1);
  CHECK(*map.find({'a', "b", ""}) == 2);
  CHECK(*map.find({'A', "b", "c"}) == 3);
  CHECK(*map.find({'a', "", "bc"}) == 4);
  CHECK(map.find({'a', "bc", ""}) == nullptr);
  map[{'a', "b", "c"}] = 5;
  CHECK(map.size() == 4);
  CHECK(*map.find({'a', "b", "c"}) == 5);
  map.erase({'a', "b", "c"});
  map.erase({'a', "b", "c"});
  CHECK(map.size() == 3);
  CHECK(map.find({'a', "b", "c"}) == nullptr);
}

TEST_CASE("the keys of a persistent map come in the order of kind and both texts") {
  PersistentMap<int> map;
  CHECK(map.keys().empty());
  const std::set<MapKey> keys{{'a', "", "x"}, {'a', "b", ""}, {'a', "b", "c"}, {'b', "", ""}};
  for (const MapKey& key : keys) map[view(key)] = 1;
  CHECK(map.keys() == keys);
  map.erase({'a', "b", ""});
  CHECK(map.keys().size() == 3);
}

TEST_CASE("what is changed in one persistent map stays as it was in the others") {
  const PersistentMap<int> map = numbers(2'000);
  PersistentMap<int> other = map;
  for (int i = 0; i < 2'000; i += 3) other[{'n', std::to_string(i), "x"}] = -1;
  for (int i = 1; i < 2'000; i += 3) other.erase({'n', std::to_string(i), "x"});
  other[{'n', "new", "x"}] = 7;
  for (int i = 0; i < 2'000; ++i) {
    const std::string text = std::to_string(i);
    REQUIRE(map.find({'n', text, "x"}) != nullptr);
    CHECK(*map.find({'n', text, "x"}) == i);
    const int* const changed = other.find({'n', text, "x"});
    CHECK((changed == nullptr) == (i % 3 == 1));
    if (changed != nullptr) CHECK(*changed == (i % 3 == 0 ? -1 : i));
  }
  CHECK(map.find({'n', "new", "x"}) == nullptr);
  CHECK(map.size() == 2'000);
  std::set<int> seen;
  map.for_each([&](int value) { seen.insert(value); });
  CHECK(seen.size() == 2'000);
}

TEST_CASE("the values of one first text are found, and no others") {
  PersistentMap<int> map;
  for (int i = 0; i < 1'000; ++i) {
    const std::string text = std::to_string(i);
    map[{'a', i % 2 == 0 ? "even" : "odd", text}] = i;
    map[{'b', "even", text}] = -1;
    map[{'a', "even" + text, ""}] = -1;
  }
  map[{'a', "even", ""}] = 1'000;
  std::set<int> seen;
  map.for_each_of('a', "even", [&](const MapKey& key, int value) {
    CHECK(key.first == "even");
    CHECK(key.second == (value == 1'000 ? "" : std::to_string(value)));
    CHECK(value % 2 == 0);
    seen.insert(value);
  });
  CHECK(seen.size() == 501);
  map.for_each_of('a', "eve", [&](const MapKey&, int) { CHECK(false); });
  map.for_each_of('c', "even", [&](const MapKey&, int) { CHECK(false); });
  PersistentMap<int>().for_each_of('a', "", [&](const MapKey&, int) { CHECK(false); });

  PersistentMap<int> few;  // most places of which have nothing
  few[{'a', "even", "0"}] = 7;
  int found = 0;
  few.for_each_of('a', "even", [&](const MapKey&, int value) { found += value; });
  CHECK(found == 7);
}

TEST_CASE("a copy of a persistent map and a change of it cost a part of what the whole does") {
  const testing::CountAllocations all;
  const PersistentMap<int> map = numbers(10'000);
  const std::size_t for_all = all.count();
  const testing::CountAllocations one;
  PersistentMap<int> other = map;
  other[{'n', "17", "x"}] = 1;
  CHECK(one.count() * 100 <= for_all);
  CHECK(one.count() > 1);
}

}  // namespace persistent_map_test
}  // namespace SCHEDPOL_NAMESPACE::detail
