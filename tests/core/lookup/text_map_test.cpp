// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/impl/lookup/text_map.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::detail {
namespace {

using List = std::vector<std::string>;

std::string eight(std::uint64_t bytes) {
  std::string text(8, '\0');
  std::memcpy(text.data(), &bytes, 8);
  return text;
}

/// Texts of which all have one hash. Of sixteen bytes: the hash before the second half is known, so
/// the half is chosen to make up for it.
List of_one_hash(std::size_t count) {
  const auto before_tail = [](std::uint64_t head) {
    std::uint64_t bits = (16 ^ head) * 0x9E3779B97F4A7C15;
    return bits ^ bits >> 32;
  };
  List texts;
  for (std::uint64_t i = 1; i <= count; ++i) texts.push_back(eight(i) + eight(before_tail(i)));
  return texts;
}

List numbered(std::size_t count, const std::string& before, const std::string& after) {
  List texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string digits = std::to_string(i);
    texts.push_back(before + std::string(6 - digits.size(), '0') + digits + after);
  }
  return texts;
}

TEST_CASE("among a few texts one byte decides, wherever it stands") {
  for (std::size_t size = 0; size <= 41; ++size) {
    CAPTURE(size);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i % 26);
    const TextSet set(List{"another", text, "and-one-more-of-them"});
    CHECK(set.contains(text));
    CHECK(!set.contains(text + '\0'));
    CHECK(!set.contains(eight(TextNumber::of(text)) + "x"));
    if (size < 8) CHECK(!set.contains(eight(TextNumber::of(text))));
    for (std::size_t i = 0; i < size; ++i) {
      CAPTURE(i);
      std::string other = text;
      other[i] ^= 1;
      CHECK(!set.contains(other));
      other.erase(i, 1);
      CHECK(!set.contains(other));
      CHECK(!TextSet(List{other, "another"}).contains(text));
    }
  }
}

TEST_CASE("ten thousand texts are all found, and no other, however alike they are") {
  struct Case {
    const char* name;
    List texts;
  };
  constexpr std::size_t count = 10'000;
  const Case cases[] = {
      {"numbered", numbered(count, "", "")},
      {"of one beginning", numbered(count, "node.kubernetes.io/taint-", "")},
      {"of one end", numbered(count, "", ".example.com/of-the-same-length")},
      {"of one beginning and end", numbered(count, "node.kubernetes.io/", "-of-the-same-length")},
      {"of one hash", of_one_hash(count)},
  };
  for (const auto& [name, texts] : cases) {
    CAPTURE(name);
    List listed;
    for (std::size_t i = 0; i < texts.size(); i += 2) listed.push_back(texts[i]);
    const TextSet set(listed);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) wrong += set.contains(texts[i]) != (i % 2 == 0);
    CHECK(wrong == 0);
  }
}

TEST_CASE("texts that look alike are spread over the hashes, so that few are ever compared") {
  constexpr std::size_t count = 10'000;
  for (const auto& texts :
       {numbered(count, "", ""), numbered(count, "node.kubernetes.io/taint-", ""),
        numbered(count, "", ".example.com/of-the-same-length"),
        numbered(count, "node.kubernetes.io/", "-of-the-same-length")}) {
    CAPTURE(texts.front());
    std::map<std::uint64_t, int> bucket;
    int most = 0;
    for (const std::string& text : texts)
      most = std::max(most, ++bucket[TextNumber::hash(text) >> (64 - 14)]);
    CHECK(most <= 8);
  }
  std::set<std::uint64_t> hashes;
  for (const std::string& text : of_one_hash(count)) hashes.insert(TextNumber::hash(text));
  CHECK_MESSAGE(hashes.size() == 1, "they are meant to have one hash");
}

}  // namespace
}  // namespace schedpol::detail
