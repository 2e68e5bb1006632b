// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/impl/text_key.hpp>

#include "../support/print.hpp"

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace text_key_test {

using schedpol::detail::TextKey;
using Texts = std::vector<std::optional<std::string>>;

std::string key_of(const Texts& texts) {
  TextKey key;
  for (const auto& text : texts) {
    if (text) {
      key.add(*text);
    } else {
      key.add_missing();
    }
  }
  return key.text();
}

Texts texts_of(std::string_view key) {
  Texts texts;
  while (!key.empty()) texts.emplace_back(TextKey::next(key));
  return texts;
}

TEST_CASE("different lists of texts have different keys, from which they are read again") {
  const Texts lists[] = {
      {},
      {""},
      {"", ""},
      {std::nullopt},
      {std::nullopt, std::nullopt},
      {"-"},
      {"a", "b"},
      {"ab"},
      {"1:a"},
      {"a", std::nullopt},
      {std::nullopt, "a"},
      {"1", ":a"},
      {"a text of more than nine bytes", "0123456789"},
      {std::string("\0:", 2), "10"},
  };
  std::set<std::string> keys;
  for (const Texts& texts : lists) {
    const std::string key = key_of(texts);
    CAPTURE(key);
    CHECK(keys.insert(key).second);
    CHECK(texts_of(key) == texts);
  }
}

}  // namespace text_key_test
