// SPDX-License-Identifier: Apache-2.0
// Node selectors are pairs of a key and its values.
#include <schedpol/scheduling_policy/policy.hpp>

#include <vector>

using namespace schedpol::scheduling_policy;

std::vector<SchedulingPolicy> policies();
std::vector<SchedulingPolicy> policies() {
  return {SchedulingPolicy{
      .spec = {.allowed = {.node_selectors = {"arch", {"amd64"}}}}}};  // error: AnyOr<
}
