// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/impl/lookup/text_table.hpp>

#include "../../support/list.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {
namespace text_table_test {

using schedpol::testing::List;

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

TEST_CASE("short texts are told apart by their size where their bytes are the same") {
  const std::string texts[] = {std::string(),        std::string(1, '\0'), std::string(2, '\0'),
                               std::string(3, '\0'), std::string(4, '\0'), std::string(5, '\0'),
                               std::string(7, '\0'), std::string(8, '\0')};
  for (const std::string& listed : texts) {
    const TextSet set(List{listed});
    for (const std::string& asked : texts) CHECK(set.contains(asked) == (asked == listed));
  }
  CHECK(!TextSet().contains(""));
  CHECK(!TextSet().contains("a"));
}

TEST_CASE("texts of one size differ in their beginning, their end or between") {
  const List alike[] = {
      {"ab", "bb", "ba", "aa"},
      {"abcde", "bbcde", "abcdf", "abdde"},
      {"\xC3\xA4", "\xC4\xA4", "\xC3\xA5"},
      {"x-priority", "y-priority", "x-prioritz"},
      {"one-beginning-and-a-end", "one-beginning-and-b-end", "one-beginning-or--a-end",
       "two-beginning-and-a-end", "one-beginning-and-a-enb"},
      {"0123456701234567", "0123456711234567", "1123456701234567"},
      {"01234567x01234567", "01234567y01234567", "01234567z01234567"},
      {"01234567xxxxxxxx.xxxxxxxx01234567", "01234567xxxxxxxx,xxxxxxxx01234567",
       "01234567yxxxxxxx.xxxxxxxx01234567", "01234567xxxxxxxx.xxxxxxxy01234567"},
  };
  for (const List& texts : alike) {
    CAPTURE(texts.front());
    const TextSet all(texts);
    for (const std::string& text : texts) {
      CHECK(all.contains(text));
      List others;
      for (const std::string& other : texts)
        if (other != text) others.push_back(other);
      CHECK(!TextSet(others).contains(text));
    }
  }
}

TEST_CASE("a text has its own address, among few and among many, and all others have one") {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 10U, 16U, 17U, 100U}) {
    CAPTURE(count);
    const List texts = numbered(count, "text-", "");
    const std::string missing;
    std::vector<TextTable::Entry> entries;
    for (const std::string& text : texts) entries.push_back({text, &text});
    TextTable table(std::move(entries), &missing);
    const TextTable moved(std::move(table));
    for (const std::string& text : texts) CHECK(moved.find(text) == &text);
    for (const char* other : {"", "text-", "text-00000", "text-0000000", "text-999999"})
      CHECK(moved.find(other) == &missing);
  }
  const std::string missing;
  CHECK(TextTable(&missing).find("text") == &missing);
}

TEST_CASE("all texts of a list are there or not, and a text listed twice is there once") {
  for (const std::size_t count : {1U, 8U, 9U}) {
    List texts = numbered(count, "", "-of-some-length");
    List twice = texts;
    twice.insert(twice.end(), texts.begin(), texts.end());
    const TextSet set(twice);
    CHECK(set.contains_all(texts));
    CHECK(set.contains_all(List{}));
    texts.push_back("another");
    CHECK(!set.contains_all(texts));
    CHECK(!set.contains_all(List{""}));
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

TEST_CASE("every byte of a text counts in its hash") {
  for (std::size_t size = 1; size <= 41; ++size) {
    const std::string text(size, 'a');
    for (std::size_t i = 0; i < size; ++i) {
      CAPTURE(size);
      CAPTURE(i);
      std::string other = text;
      other[i] = 'b';
      CHECK(TextNumber::hash(other) != TextNumber::hash(text));
    }
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

}  // namespace text_table_test
}  // namespace SCHEDPOL_NAMESPACE::detail
