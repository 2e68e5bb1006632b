// SPDX-License-Identifier: Apache-2.0
#include <schedpol/resource_policy/policy.hpp>

#include "clusters.hpp"

#include <concepts>
#include <string>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace policy_test {

static_assert(std::is_aggregate_v<Unit>);
static_assert(std::is_aggregate_v<MatchPolicy>);
static_assert(std::is_aggregate_v<ResourcePolicySpec>);
static_assert(std::is_aggregate_v<ResourcePolicy>);
static_assert(std::is_nothrow_move_constructible_v<ResourcePolicy>);
static_assert(std::equality_comparable<ResourcePolicy>);

TEST_CASE("an absent field of a policy is the default of the proposal") {
  const ResourcePolicy empty;
  CHECK(empty.spec.strategy == Strategy::unset);
  CHECK(!empty.spec.match_policy.ignore_terminating_pod);
  CHECK(!empty.spec.pod_selector.has_value());
  CHECK(!Unit().priority.has_value());
  CHECK(!Unit().max_count.has_value());
  CHECK(!Unit().node_selector.has_value());
}

TEST_CASE("the strategies are required and prefer, spelled exactly so") {
  CHECK(OpenStrategy("required").word() == Strategy::required);
  CHECK(OpenStrategy("prefer").word() == Strategy::prefer);
  CHECK(OpenStrategy("").word() == Strategy::unset);
  for (const std::string text : {"Prefer", "REQUIRED", "preferred", "require", " prefer"}) {
    CAPTURE(text);
    const OpenStrategy strategy(text);
    CHECK(!strategy.known());
    CHECK(strategy.text() == text);
  }
}

}  // namespace policy_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
