// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/policy.hpp>

#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace policy_test {

static_assert(std::is_aggregate_v<PolicyPredicate>);
static_assert(std::is_aggregate_v<PolicyAction>);
static_assert(std::is_aggregate_v<MetadataPolicyRule>);
static_assert(std::is_aggregate_v<MetadataPolicySpec>);
static_assert(std::is_aggregate_v<MetadataPolicy>);
static_assert(std::is_nothrow_move_constructible_v<MetadataPolicy>);
static_assert(std::equality_comparable<MetadataPolicy>);

TEST_CASE("a predicate without a selector is another one than a predicate with an empty one") {
  const PolicyPredicate absent;
  const PolicyPredicate empty = {.label_selector = LabelSelector{}};
  CHECK((absent == PolicyPredicate{}));
  CHECK((absent != empty));
  CHECK_FALSE(PolicyAction{}.reject);
}

}  // namespace policy_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
