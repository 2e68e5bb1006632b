// SPDX-License-Identifier: Apache-2.0
// So has a pattern of its own type.
#include <schedpol/scheduling_policy/policy.hpp>

#include <vector>

using namespace schedpol::scheduling_policy;

std::vector<SchedulingPolicy> policies();
std::vector<SchedulingPolicy> policies() {
  return {
      SchedulingPolicy{.spec = {.allowed = {.tolerations = {TolerationPattern{.keys = {"x"}}}}}}};
}
