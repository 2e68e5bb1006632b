// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/optional.hpp>

#include <schedpol/core/labels.hpp>

#include "../support/ends_program.hpp"
#include "../support/print.hpp"

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace optional_test {

using schedpol::Labels;
using schedpol::Optional;

// Nothing refers into one that is about to go; its value may be taken out of it.
template <class T>
concept HasArrow = requires(T&& optional) { std::forward<T>(optional).operator->(); };
static_assert(HasArrow<Optional<std::string>&>);
static_assert(HasArrow<const Optional<std::string>&>);
static_assert(!HasArrow<Optional<std::string>>);
static_assert(!HasArrow<const Optional<std::string>>);
static_assert(std::is_same_v<decltype(*std::declval<Optional<std::string>>()), std::string>);

TEST_CASE("a value is read, changed and moved out as from a std::optional") {
  Optional<std::string> text = std::optional<std::string>("a");
  text->push_back('b');
  CHECK(*text == "ab");
  CHECK(*std::as_const(text) == "ab");
  CHECK(text == std::optional<std::string>("ab"));
  CHECK(text.value_or("c") == "ab");
  Optional<std::unique_ptr<int>> number = std::make_unique<int>(3);
  const std::unique_ptr<int> taken = *std::move(number);
  CHECK(*taken == 3);
}

TEST_CASE("none is none, and says so") {
  const Optional<std::string> none = std::nullopt;
  CHECK_FALSE(none);
  CHECK_FALSE(none.has_value());
  CHECK(none.value_or("c") == "c");
}

TEST_CASE("two are equal when both are none, or have equal values") {
  using Std = std::optional<std::string>;
  const Optional<std::string> none;
  const Optional<std::string> a = "a";
  CHECK(none == Optional<std::string>());
  CHECK(none == Std());
  CHECK(Std() == none);
  CHECK(none == std::nullopt);
  CHECK(none != a);
  CHECK(none != Std("a"));
  CHECK(a == Optional<std::string>("a"));
  CHECK(a == Std("a"));
  CHECK(a == "a");
  CHECK(a != Optional<std::string>("b"));
  CHECK(a != Std());
}

TEST_CASE("labels are given in the braces of labels") {
  const Optional<Labels> none = {};
  const Optional<Labels> one = {{"arch", "amd64"}};
  const Optional<Labels> two = {{"arch", "amd64"}, {"os", "linux"}};
  CHECK(none == std::nullopt);
  CHECK(one == Labels{{"arch", "amd64"}});
  CHECK(two == Labels{{"arch", "amd64"}, {"os", "linux"}});
  Optional<Labels> changed = one;
  changed = {{"arch", "amd64"}, {"os", "linux"}};
  CHECK(changed == two);
  changed = {};
  CHECK(changed == none);
}

TEST_CASE("reading the value of none ends the program") {
  Optional<std::string> none;
  CHECK(ends_program([&] { (*none).clear(); }));
  CHECK(ends_program([&] { none->clear(); }));
  CHECK(ends_program([&] { static_cast<void>(std::as_const(none)->empty()); }));
  CHECK(ends_program([] { static_cast<void>(*Optional<std::string>()); }));
  CHECK(last_words([&] { (*none).clear(); }) ==
        "schedpol: the value of an Optional that has none was asked for\n");
  none = "a";
  CHECK_FALSE(ends_program([&] { (*none).clear(); }));
}

}  // namespace optional_test
