// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/shared.hpp>

#include <schedpol/base/impl/shared.hpp>

#include "../support/print.hpp"

#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace shared_test {

using schedpol::Owned;
using schedpol::Shared;

struct Incomplete;

static_assert(std::is_nothrow_default_constructible_v<Shared<int>>);
static_assert(std::is_nothrow_copy_constructible_v<Shared<int>>);
static_assert(std::is_nothrow_copy_assignable_v<Shared<int>>);
static_assert(std::is_nothrow_move_constructible_v<Shared<int>>);
static_assert(std::is_nothrow_move_assignable_v<Shared<int>>);
static_assert(std::is_copy_constructible_v<Shared<Incomplete>>);
static_assert(std::is_same_v<decltype(*std::declval<Shared<std::string>&>()), const std::string&>);
static_assert(!std::is_convertible_v<int, Shared<int>>);
static_assert(!std::is_convertible_v<Shared<int>, bool>);

/// Knows how many of its kind there are.
struct Counted {
  explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
  Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive_; }

 private:
  int* alive_;
};

TEST_CASE("copies share one object, which ends with the last of them") {
  int alive = 0;
  {
    Shared<Counted> last;
    {
      const Shared<Counted> first{Counted(alive)};
      CHECK(alive == 1);
      const Shared<Counted> copy = first;
      CHECK(&*copy == &*first);
      last = copy;
      CHECK(alive == 1);
    }
    CHECK(alive == 1);
    CHECK(static_cast<bool>(last));
  }
  CHECK(alive == 0);
}

TEST_CASE("an owner's copy has an object of its own, which ends with it") {
  int alive = 0;
  {
    Owned<Counted> first{Counted(alive)};
    CHECK(alive == 1);
    Owned<Counted> copy = first;
    CHECK(alive == 2);
    CHECK(&*copy != &*first);
    copy = first;
    CHECK(alive == 2);
    Owned<Counted> taken = std::move(copy);
    CHECK(alive == 2);
    CHECK(!copy);  // NOLINT(bugprone-use-after-move)
    first = copy;
    CHECK(alive == 1);
    CHECK(static_cast<bool>(taken));
  }
  CHECK(alive == 0);
  Owned<std::string> text{std::string("a")};
  const Owned<std::string> before = text;
  *text = "b";
  CHECK(*before == "a");
  CHECK(text->size() == 1);
  CHECK(!static_cast<bool>(Owned<int>()));
}

TEST_CASE("default-constructed and moved-from there is no object") {
  CHECK(!static_cast<bool>(Shared<int>()));
  Shared<int> from(7);
  const Shared<int> to = std::move(from);
  CHECK(!static_cast<bool>(from));  // NOLINT(bugprone-use-after-move)
  REQUIRE(static_cast<bool>(to));
  CHECK(*to == 7);
  const Shared<int> none = Shared<int>();
  CHECK(!static_cast<bool>(none));
}

TEST_CASE("an assignment gives up what was there") {
  int alive = 0;
  Shared<Counted> first{Counted(alive)};
  Shared<Counted> second{Counted(alive)};
  CHECK(alive == 2);
  first = second;
  CHECK(alive == 1);
  const Shared<Counted>& same = second;
  second = same;
  CHECK(alive == 1);
  CHECK(static_cast<bool>(second));
  second = Shared<Counted>();
  CHECK(alive == 1);
  first = std::move(second);
  CHECK(alive == 0);
  CHECK(!static_cast<bool>(first));
}

TEST_CASE("an object is looked at through any of its owners") {
  const Shared<std::vector<std::string>> list(std::vector<std::string>{"a", "b"});
  const Shared<std::vector<std::string>> copy = list;
  CHECK(copy->size() == 2);
  CHECK((*copy)[1] == "b");
}

TEST_CASE("threads may copy and drop one object") {
  int alive = 0;
  {
    const Shared<Counted> object{Counted(alive)};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([object] {
        for (int n = 0; n < 1000; ++n) {
          const Shared<Counted> copy = object;
          const Shared<Counted> another = copy;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

}  // namespace shared_test
