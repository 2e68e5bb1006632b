// SPDX-License-Identifier: Apache-2.0
// A policy in a list that is written with its type has its field named.
#include <schedpol/scheduling_policy/policy.hpp>

#include <vector>

using namespace schedpol::scheduling_policy;

std::vector<SchedulingPolicy> policies();
std::vector<SchedulingPolicy> policies() {
  return {SchedulingPolicy{.spec = {.allowed = {.scheduler_names = {"x"}}}}};
}
