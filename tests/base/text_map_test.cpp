// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/text_map.hpp>

#include "../support/print.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace text_map_test {

using schedpol::TextMap;
using schedpol::Texts;
using Pairs = TextMap<std::string>;

static_assert(std::is_nothrow_default_constructible_v<Pairs>);
static_assert(!std::is_convertible_v<std::string, Pairs>);

TEST_CASE("pairs in braces are a map, whatever they are made of") {
  const std::string key = "arch";
  const std::string_view value = "amd64";
  const Pairs pairs = {{key, value}, {"os", "linux"}};
  CHECK(pairs == Pairs{{"os", "linux"}, {"arch", "amd64"}});
  CHECK(pairs.size() == 2);
  CHECK(pairs.begin()->first == "arch");
  CHECK(Pairs{}.empty());
}

TEST_CASE("of two pairs with one key the first counts") {
  CHECK(Pairs{{"a", "1"}, {"a", "2"}} == Pairs{{"a", "1"}});
}

TEST_CASE("a map of lists takes a key and a list in each pair") {
  const TextMap<Texts> map = {{"arch", {"amd64", "arm64"}}, {"os", {}}};
  CHECK(map.at("arch") == Texts{"amd64", "arm64"});
  CHECK(map.at("os").empty());
}

TEST_CASE("a map is found and changed as a std::map is") {
  Pairs pairs = {{"a", "1"}};
  pairs["b"] = "2";
  pairs.emplace("c", "3");
  pairs.erase("a");
  CHECK(pairs.find(std::string_view("b"))->second == "2");
  CHECK(pairs == Pairs{{"b", "2"}, {"c", "3"}});
  const Pairs moved = std::move(pairs);
  CHECK(moved.contains("c"));
}

TEST_CASE("braces are assigned like what they make") {
  Pairs pairs = {{"a", "1"}};
  pairs = {{"b", "2"}, {"c", "3"}};
  CHECK(pairs == Pairs{{"b", "2"}, {"c", "3"}});
  pairs = {};
  CHECK(pairs.empty());
}

}  // namespace text_map_test
