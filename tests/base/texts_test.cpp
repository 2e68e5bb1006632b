// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/texts.hpp>

#include "../support/ends_program.hpp"
#include "../support/print.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace texts_test {

using schedpol::Text;
using schedpol::Texts;

static_assert(std::is_nothrow_default_constructible_v<Texts>);
static_assert(std::is_copy_constructible_v<Texts>);
static_assert(std::is_nothrow_move_constructible_v<Texts>);
static_assert(std::is_nothrow_move_assignable_v<Texts>);
static_assert(std::equality_comparable<Texts>);

// Nothing but a list of texts becomes one by itself.
static_assert(std::is_convertible_v<std::initializer_list<Text>, Texts>);
static_assert(!std::is_convertible_v<std::string, Texts>);
static_assert(!std::is_convertible_v<const char*, Texts>);
static_assert(!std::is_convertible_v<std::vector<std::string>, Texts>);
static_assert(std::is_constructible_v<Texts, std::vector<std::string>>);
static_assert(!std::is_constructible_v<Texts, std::size_t>);

// What reads as a text is one between braces; a pair of braces more is none.
static_assert(std::is_convertible_v<const char*, Text>);
static_assert(std::is_convertible_v<std::string, Text>);
static_assert(std::is_convertible_v<std::string_view, Text>);
static_assert(!std::is_convertible_v<char, Text>);
static_assert(!std::is_convertible_v<int, Text>);
static_assert(!std::is_default_constructible_v<Text>);
static_assert(!std::is_convertible_v<std::initializer_list<std::initializer_list<Text>>, Texts>);

TEST_CASE("texts are listed in braces, of whatever reads as a text") {
  const std::string string = "b";
  const std::string_view view = "c";
  const Texts texts = {"a", string, view, std::string("d") + "e"};
  CHECK(texts.vector() == std::vector<std::string>{"a", "b", "c", "de"});
  CHECK(texts.size() == 4);
  CHECK(!texts.empty());
  CHECK(texts.front() == "a");
  CHECK(texts[3] == "de");
}

TEST_CASE("two texts in braces are two texts") {
  const Texts texts = {"za", "zb"};
  REQUIRE(texts.size() == 2);
  CHECK(texts[0] == "za");
  CHECK(texts[1] == "zb");
}

TEST_CASE("no texts, and one that is empty") {
  const Texts none = {};
  CHECK(none.empty());
  CHECK(none == Texts());
  CHECK(none.begin() == none.end());
  const Texts empty_text = {""};
  CHECK(empty_text.size() == 1);
  CHECK(empty_text != none);
}

TEST_CASE("texts keep their own copies, a zero byte included") {
  std::string text("a\0b", 3);
  const Texts texts = {text};
  text = "changed";
  REQUIRE(texts.size() == 1);
  CHECK(texts[0] == std::string("a\0b", 3));
}

TEST_CASE("a text is contained as a whole") {
  const Texts texts = {"web", "", "db"};
  CHECK(texts.contains("web"));
  CHECK(texts.contains(""));
  CHECK(texts.contains("db"));
  CHECK(!texts.contains("we"));
  CHECK(!texts.contains("webs"));
  CHECK(!texts.contains("Web"));
  CHECK(!Texts().contains(""));
}

TEST_CASE("texts are equal when they list the same in the same order") {
  CHECK(Texts{"a", "b"} == Texts{"a", "b"});
  CHECK(Texts{"a", "b"} != Texts{"b", "a"});
  CHECK(Texts{"a"} != Texts{"a", "a"});
  CHECK(Texts{"ab"} != Texts{"a", "b"});
}

TEST_CASE("texts are gone through, changed and given away as a vector is") {
  Texts texts = {"a"};
  texts.push_back("b");
  texts[0] = "c";
  std::string joined;
  for (const std::string& text : texts) joined += text;
  CHECK(joined == "cb");
  texts.vector().insert(texts.vector().begin(), "d");
  CHECK(texts == Texts{"d", "c", "b"});
  const std::vector<std::string> taken = std::move(texts).vector();
  CHECK(taken == std::vector<std::string>{"d", "c", "b"});
  CHECK(Texts(taken) == Texts{"d", "c", "b"});
}

TEST_CASE("a null pointer for a text ends the program") {
  const char* unset = nullptr;
  CHECK(ends_program([&] { static_cast<void>(Texts{"a", unset}); }));
  CHECK(last_words([&] {
          static_cast<void>(Texts{"a", unset});
        }) == "schedpol: a null pointer is no text\n");
  CHECK_FALSE(ends_program([&] { static_cast<void>(Texts{"a", ""}); }));
}

}  // namespace texts_test
