// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/scheduling_criteria.hpp>

#include "../support/print.hpp"

#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE {
namespace scheduling_criteria_test {

static_assert(std::is_aggregate_v<SchedulingCriteria>);
static_assert(std::is_nothrow_copy_constructible_v<SharedCriteria>);
static_assert(std::is_nothrow_move_constructible_v<SharedCriteria>);

TEST_CASE("copies of criteria are one, and others are equal where what they hold is") {
  const SharedCriteria blue(SchedulingCriteria{.scheduler_name = "blue"});
  const SharedCriteria copy = blue;
  CHECK(&*copy == &*blue);
  CHECK(copy == blue);
  CHECK(copy->scheduler_name == "blue");
  CHECK(blue == SharedCriteria(SchedulingCriteria{.scheduler_name = "blue"}));
  CHECK(blue != SharedCriteria(SchedulingCriteria{.scheduler_name = "green"}));
}

TEST_CASE("criteria of nothing, and those that were moved from, are empty") {
  CHECK(SharedCriteria() == SharedCriteria(SchedulingCriteria{}));
  SharedCriteria blue(SchedulingCriteria{.scheduler_name = "blue"});
  const SharedCriteria taken = std::move(blue);
  CHECK(taken->scheduler_name == "blue");
  CHECK(*blue == SchedulingCriteria{});
}

}  // namespace scheduling_criteria_test
}  // namespace SCHEDPOL_NAMESPACE
