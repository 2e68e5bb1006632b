// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/labels.hpp>
#include <schedpol/core/texts.hpp>

#include "../support/print.hpp"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace text_map_test {

using schedpol::Labels;
using schedpol::TextMap;
using schedpol::Texts;

static_assert(std::is_same_v<Labels, TextMap<std::string>>);
static_assert(std::is_nothrow_default_constructible_v<Labels>);
static_assert(!std::is_convertible_v<std::string, Labels>);

TEST_CASE("pairs in braces are labels, whatever they are made of") {
  const std::string key = "arch";
  const std::string_view value = "amd64";
  const Labels labels = {{key, value}, {"os", "linux"}};
  CHECK(labels == Labels{{"os", "linux"}, {"arch", "amd64"}});
  CHECK(labels.size() == 2);
  CHECK(labels.begin()->first == "arch");
  CHECK(Labels{}.empty());
}

TEST_CASE("of two pairs with one key the first counts") {
  CHECK(Labels{{"a", "1"}, {"a", "2"}} == Labels{{"a", "1"}});
}

TEST_CASE("a map of lists takes a key and a list in each pair") {
  const TextMap<Texts> map = {{"arch", {"amd64", "arm64"}}, {"os", {}}};
  CHECK(map.at("arch") == Texts{"amd64", "arm64"});
  CHECK(map.at("os").empty());
}

TEST_CASE("a map is found and changed as a std::map is") {
  Labels labels = {{"a", "1"}};
  labels["b"] = "2";
  labels.emplace("c", "3");
  labels.erase("a");
  CHECK(labels.find(std::string_view("b"))->second == "2");
  CHECK(labels == Labels{{"b", "2"}, {"c", "3"}});
  const Labels moved = std::move(labels);
  CHECK(moved.contains("c"));
}

TEST_CASE("braces are assigned like what they make") {
  Labels labels = {{"a", "1"}};
  labels = {{"b", "2"}, {"c", "3"}};
  CHECK(labels == Labels{{"b", "2"}, {"c", "3"}});
  labels = {};
  CHECK(labels.empty());
}

}  // namespace text_map_test
