// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/pod.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <string>
#include <type_traits>

namespace topology_spread_constraint_test {

using schedpol::NodeInclusionPolicy;
using schedpol::OpenEnum;
using schedpol::TopologySpreadConstraint;
using schedpol::WhenUnsatisfiable;

static_assert(std::is_aggregate_v<TopologySpreadConstraint>);
static_assert(std::equality_comparable<TopologySpreadConstraint>);

TEST_CASE("words of a topology spread constraint are those of core/v1, others are unknown") {
  const auto when = [](const char* text) { return OpenEnum<WhenUnsatisfiable>(text).word(); };
  CHECK((when("DoNotSchedule") == WhenUnsatisfiable::do_not_schedule));
  CHECK((when("ScheduleAnyway") == WhenUnsatisfiable::schedule_anyway));
  CHECK((when("") == WhenUnsatisfiable::unset));
  CHECK((when("doNotSchedule") == WhenUnsatisfiable::unknown));
  const auto policy = [](const char* text) { return OpenEnum<NodeInclusionPolicy>(text).word(); };
  CHECK((policy("Honor") == NodeInclusionPolicy::honor));
  CHECK((policy("Ignore") == NodeInclusionPolicy::ignore));
  CHECK((policy("Honour") == NodeInclusionPolicy::unknown));
}

TEST_CASE("what a topology spread constraint leaves out is absent") {
  const TopologySpreadConstraint constraint = {.max_skew = 1, .topology_key = "zone"};
  CHECK_FALSE(constraint.label_selector.has_value());
  CHECK_FALSE(constraint.min_domains.has_value());
  CHECK((constraint.when_unsatisfiable == WhenUnsatisfiable::unset));
  CHECK((constraint.node_affinity_policy == NodeInclusionPolicy::unset));
  CHECK((constraint.node_taints_policy == NodeInclusionPolicy::unset));
  CHECK(constraint.match_label_keys.empty());
}

}  // namespace topology_spread_constraint_test
