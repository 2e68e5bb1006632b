// SPDX-License-Identifier: Apache-2.0
// The names of policies are a list of texts, in one pair of braces.
#include <schedpol/scheduling_policy/usable.hpp>

using schedpol::scheduling_policy::SchedulingPolicy;

std::vector<SchedulingPolicy> two_of(const std::vector<SchedulingPolicy>& all) {
  return usable(all, {{"p", "q"}});  // error
}
