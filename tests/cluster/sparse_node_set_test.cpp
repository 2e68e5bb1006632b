// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/impl/sparse_node_set.hpp>

#include "../support/count_allocations.hpp"
#include "../support/random.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace SCHEDPOL_NAMESPACE {
namespace sparse_node_set_test {

TEST_CASE("law: it has the numbers that a NodeSet has, whatever came and went") {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    testing::Random random(seed);
    const std::size_t numbers = seed % 2 == 0 ? 70 : 5'000;
    SparseNodeSet sparse;
    NodeSet wanted;
    for (int step = 0; step < 200; ++step) {
      const std::size_t node = random.below(numbers);
      if (random.chance(40) && wanted.contains(node)) {
        sparse.erase(node);
        wanted.erase(node);
      } else {
        CHECK(sparse.insert(node) == !wanted.contains(node));
        wanted.insert(node);
      }
      CHECK(sparse.empty() == wanted.empty());
      if (!wanted.empty()) CHECK(sparse.front() == *wanted.begin());
    }
    NodeSet others;
    for (int i = 0; i < 100; ++i) others.insert(random.below(numbers));
    NodeSet added = others;
    sparse.add_to(added);
    CHECK(added == (others | wanted));
    NodeSet removed = others;
    sparse.remove_from(removed);
    CHECK(removed == others - wanted);
    NodeSet all;
    sparse.add_to(all);
    CHECK(all == wanted);
  }
}

TEST_CASE("one number takes as little memory whatever the number") {
  const testing::CountAllocations counted;
  SparseNodeSet set;
  CHECK(set.insert(1'000'000));
  CHECK(counted.peak_bytes() <= 64);
}

}  // namespace sparse_node_set_test
}  // namespace SCHEDPOL_NAMESPACE
