// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/scheduling_criteria.hpp>

#include "../support/print.hpp"

#include <type_traits>

namespace scheduling_criteria_test {

using schedpol::Affinity;
using schedpol::SchedulingCriteria;
using schedpol::SharedCriteria;

static_assert(std::is_aggregate_v<SchedulingCriteria>);
static_assert(std::is_nothrow_copy_constructible_v<SharedCriteria>);
static_assert(std::is_nothrow_move_constructible_v<SharedCriteria>);

TEST_CASE("criteria differ in each of their fields") {
  const SchedulingCriteria all[] = {{},
                                    {.node_name = "n"},
                                    {.scheduler_name = "s"},
                                    {.node_selector = {{"disk", "ssd"}}},
                                    {.tolerations = {{.key = "gpu"}}},
                                    {.affinity = Affinity{}}};
  for (const SchedulingCriteria& a : all)
    for (const SchedulingCriteria& b : all) CHECK((a == b) == (&a == &b));
}

TEST_CASE("copies of shared criteria are one, and equal to what holds the same") {
  const SharedCriteria empty;
  CHECK(*empty == SchedulingCriteria());
  const SharedCriteria etcd = SchedulingCriteria{.scheduler_name = "etcd"};
  const SharedCriteria copy = etcd;
  CHECK(&*copy == &*etcd);
  CHECK(copy->scheduler_name == "etcd");
  CHECK(etcd == SharedCriteria(SchedulingCriteria{.scheduler_name = "etcd"}));
  CHECK(etcd != empty);
  CHECK(empty == SharedCriteria(SchedulingCriteria{}));
}

}  // namespace scheduling_criteria_test
