// SPDX-License-Identifier: Apache-2.0
#include <schedpol/base/impl/any_of.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace any_of_test {

using namespace schedpol;

TEST_CASE("what a list has more often than another one is missing from that") {
  using Indices = std::vector<std::size_t>;
  const struct {
    const char* name;
    std::string other;
    std::string list;
    Indices missing;
  } cases[] = {
      {"nothing", "ab", "ba", {}},
      {"what the other has not", "a", "bac", {0, 2}},
      {"what it has once, the second time", "ab", "aba", {2}},
      {"all where the other is empty", "", "aa", {0, 1}},
      {"nothing of an empty list", "a", "", {}},
  };
  for (const auto& [name, other, list, missing] : cases) {
    CAPTURE(name);
    CHECK(detail::missing_from(std::vector<char>(other.begin(), other.end()),
                               std::vector<char>(list.begin(), list.end())) == missing);
  }
}

}  // namespace any_of_test
