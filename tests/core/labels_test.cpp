// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/labels.hpp>

#include "../support/print.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace labels_test {

using schedpol::find_label;
using schedpol::Labels;
using schedpol::TextMap;
using namespace std::string_view_literals;

static_assert(std::is_nothrow_move_constructible_v<Labels>);
static_assert(std::is_same_v<Labels::mapped_type, std::string>);
static_assert(noexcept(find_label(std::declval<const Labels&>(), std::string_view())));

TEST_CASE("a label is found by its exact key") {
  const Labels labels = {{"app", "web"}, {"empty", ""}, {"", "no key"}};
  struct Case {
    std::string name;
    std::string_view key;
    std::optional<std::string> value;
  };
  const Case cases[] = {
      {"a label", "app", "web"},
      {"an empty value is a value", "empty", ""},
      {"a key that is missing", "tier", std::nullopt},
      {"another case", "App", std::nullopt},
      {"a prefix of a key", "ap", std::nullopt},
      {"a key and more", "app ", std::nullopt},
      {"the empty key", "", "no key"},
      {"a zero byte at the end", "app\0"sv, std::nullopt},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string* value = find_label(labels, c.key);
    REQUIRE((value != nullptr) == c.value.has_value());
    if (value != nullptr) CHECK(*value == *c.value);
  }
}

TEST_CASE("no labels have no label") {
  const Labels none;
  CHECK(find_label(none, "app") == nullptr);
  CHECK(find_label(none, "") == nullptr);
}

TEST_CASE("a label found is the one in the map") {
  const Labels labels = {{"app", "web"}};
  CHECK(find_label(labels, "app") == &labels.at("app"));
}

TEST_CASE("labels are in byte order of their keys") {
  const Labels labels = {{"b", ""}, {"B", ""}, {"a/b", ""}, {"a", ""}, {"\xC3\xA9", ""}, {"-", ""}};
  std::vector<std::string> keys;
  for (const auto& [key, value] : labels) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"-", "B", "a", "a/b", "b", "\xC3\xA9"});
}

static_assert(std::is_same_v<Labels, TextMap<std::string>>);

}  // namespace labels_test
