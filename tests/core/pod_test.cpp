// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/pod.hpp>

#include "../support/print.hpp"

#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

namespace pod_test {

using schedpol::NodeInclusionPolicy;
using schedpol::OpenEnum;
using schedpol::Pod;
using schedpol::PodKind;
using schedpol::PodSpec;
using schedpol::TopologySpreadConstraint;
using schedpol::WhenUnsatisfiable;
using namespace std::string_view_literals;

static_assert(std::is_aggregate_v<PodSpec>);
static_assert(std::is_aggregate_v<Pod>);
static_assert(std::is_nothrow_move_constructible_v<PodSpec>);
static_assert(std::is_nothrow_move_constructible_v<Pod>);
static_assert(std::is_nothrow_move_assignable_v<Pod>);
static_assert(std::equality_comparable<Pod>);

static_assert(schedpol::default_scheduler_name == "default-scheduler"sv);
TEST_CASE("a default-constructed pod is a Pod that asks for nothing") {
  const Pod pod;
  CHECK((pod.kind == PodKind::pod));
  CHECK(pod.metadata.name.empty());
  CHECK(pod.metadata.namespace_.empty());
  CHECK(pod.spec.scheduler_name.empty());
  CHECK(pod.spec.node_name.empty());
  CHECK(pod.spec.priority_class_name.empty());
  CHECK(!pod.spec.priority);
  CHECK(pod.spec.node_selector.empty());
  CHECK(pod.spec.tolerations.empty());
  CHECK(!pod.spec.affinity);
  CHECK((pod.spec == PodSpec{}));
}

TEST_CASE("a pod that was moved from says so, however it was moved") {
  Pod pod;
  Pod moved = std::move(pod);
  CHECK(pod.spec.moved_from);  // NOLINT(bugprone-use-after-move)
  Pod assigned;
  assigned = std::move(moved);
  CHECK(moved.spec.moved_from);  // NOLINT(bugprone-use-after-move)
  CHECK(!assigned.spec.moved_from);
  moved = Pod();
  CHECK(!moved.spec.moved_from);
}

TEST_CASE("whose scheduler is the default one is spelled as the enumerator") {
  CHECK(to_string(schedpol::DefaultScheduler::specified) == "Specified");
  CHECK(to_string(schedpol::DefaultScheduler::unspecified) == "Unspecified");
}

TEST_CASE("pods are equal when kind, metadata and spec are") {
  Pod pod;
  pod.metadata = {.name = "web", .namespace_ = "team-a", .labels = {{"app", "web"}}};
  pod.spec.node_selector = {{"disk", "ssd"}};
  const Pod same = pod;
  CHECK(pod == same);

  Pod kind = pod;
  kind.kind = PodKind::job;
  CHECK(pod != kind);
  Pod annotated = pod;
  annotated.metadata.annotations["a"] = "";
  CHECK(pod != annotated);
  Pod prioritised = pod;
  prioritised.spec.priority = 0;
  CHECK(pod != prioritised);
  Pod tolerant = pod;
  tolerant.spec.tolerations = {{}};
  CHECK(pod != tolerant);
}

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

}  // namespace pod_test
