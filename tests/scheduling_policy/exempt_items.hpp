// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies, pods and what is exempt of them.

#include <schedpol/insight/explain.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"
#include "../support/reasons.hpp"

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace exempt_items {

inline constexpr auto exists = TolerationOperator::exists;
using schedpol::testing::List;
using schedpol::testing::reasons;

struct Case {
  const char* name;
  SchedulingPolicySpec policy;
  PodSpec pod;
  SchedulingCriteria exempt;
  List without;  ///< what is reported where nothing is exempt
  List with;
};

inline EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

inline void check_each(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const EffectivePolicy effective = merged(c.policy);
    const Pod pod{.spec = c.pod};
    CHECK(reasons(check(pod, effective)) == c.without);
    CHECK(reasons(check(pod, effective, exempt({}, c.exempt))) == c.with);
  }
}

}  // namespace exempt_items
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
