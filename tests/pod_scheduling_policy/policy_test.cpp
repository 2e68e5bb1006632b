// SPDX-License-Identifier: Apache-2.0
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace policy_test {

static_assert(std::is_aggregate_v<PodSchedulingPolicySpec>);
static_assert(std::is_aggregate_v<PodSchedulingPolicy>);
static_assert(std::is_nothrow_move_constructible_v<PodSchedulingPolicy>);
static_assert(std::equality_comparable<PodSchedulingPolicySpec>);
static_assert(std::equality_comparable<PodSchedulingPolicy>);
static_assert(to_string(PolicyKind::pod_scheduling_policy) == "PodSchedulingPolicy");
static_assert(to_string(PolicyKind::cluster_pod_scheduling_policy) == "ClusterPodSchedulingPolicy");

TEST_CASE("a policy that says nothing is of a namespace, selects nothing and injects nothing") {
  const PodSchedulingPolicy policy;
  CHECK((policy.kind == PolicyKind::pod_scheduling_policy));
  CHECK_FALSE(policy.spec.pod_selector.has_value());
  CHECK_FALSE(policy.spec.namespace_selector.has_value());
  CHECK_FALSE(policy.spec.affinity.has_value());
}

}  // namespace policy_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
