// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/impl/persistent_vector.hpp>

#include "../support/count_allocations.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace SCHEDPOL_NAMESPACE::detail {
namespace persistent_vector_test {

std::string number(std::size_t i) {
  return "the number " + std::to_string(i);
}

PersistentVector<std::string> numbers(std::size_t size) {
  PersistentVector<std::string> list;
  for (std::size_t i = 0; i < size; ++i) list.push_back(number(i));
  return list;
}

TEST_CASE("a persistent vector has what was pushed, in its order") {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 1'000U}) {
    const PersistentVector<std::string> list = numbers(size);
    CHECK(list.size() == size);
    for (std::size_t i = 0; i < size; ++i) CHECK(list[i] == number(i));
  }
}

TEST_CASE("what is changed in one persistent vector stays as it was in the others") {
  const PersistentVector<std::string> list = numbers(1'000);
  PersistentVector<std::string> other = list;
  PersistentVector<std::string> longer = list;
  for (std::size_t i = 0; i < 1'000; i += 3) other.own(i) = "another";
  longer.push_back("last");
  CHECK(longer.size() == 1'001);
  CHECK(longer[1'000] == "last");
  CHECK(list.size() == 1'000);
  for (std::size_t i = 0; i < 1'000; ++i) {
    CHECK(list[i] == number(i));
    CHECK(longer[i] == number(i));
    CHECK(other[i] == (i % 3 == 0 ? "another" : number(i)));
  }
}

TEST_CASE("a copy of a persistent vector and a change of it cost a part of what the whole does") {
  const testing::CountAllocations all;
  const PersistentVector<std::string> list = numbers(10'000);
  const std::size_t for_all = all.count();
  const testing::CountAllocations one;
  PersistentVector<std::string> other = list;
  other.own(17) = number(1);
  other.push_back(number(2));
  CHECK(one.count() * 100 <= for_all);
  CHECK(one.count() > 1);
}

}  // namespace persistent_vector_test
}  // namespace SCHEDPOL_NAMESPACE::detail
