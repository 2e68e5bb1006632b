// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/object_meta.hpp>

#include "../support/print.hpp"

#include <type_traits>

namespace object_meta_test {

using schedpol::ObjectMeta;

static_assert(std::is_aggregate_v<ObjectMeta>);
static_assert(std::is_nothrow_move_constructible_v<ObjectMeta>);
static_assert(std::equality_comparable<ObjectMeta>);

TEST_CASE("an object says nothing of itself by default") {
  const ObjectMeta metadata;
  CHECK(metadata.name.empty());
  CHECK(metadata.namespace_.empty());
  CHECK(metadata.labels.empty());
  CHECK(metadata.annotations.empty());
  CHECK(metadata.deletion_timestamp.empty());
}

TEST_CASE("metadata are equal when all of them are") {
  const ObjectMeta metadata = {.name = "web", .namespace_ = "team-a", .labels = {{"app", "web"}}};
  const ObjectMeta others[] = {
      {},
      {.name = "db", .namespace_ = "team-a", .labels = {{"app", "web"}}},
      {.name = "web", .labels = {{"app", "web"}}},
      {.name = "web", .namespace_ = "team-a"},
      {.name = "web", .namespace_ = "team-a", .annotations = {{"app", "web"}}},
      {.name = "web",
       .namespace_ = "team-a",
       .labels = {{"app", "web"}},
       .deletion_timestamp = "2026-01-01T00:00:00Z"},
  };
  const ObjectMeta same = metadata;
  CHECK((metadata == same));
  for (const ObjectMeta& other : others) CHECK((metadata != other));
}

}  // namespace object_meta_test
