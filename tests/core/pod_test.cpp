// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/pod.hpp>

#include "../support/print.hpp"

#include <string_view>
#include <type_traits>
#include <utility>

namespace pod_test {

using schedpol::Pod;
using schedpol::PodKind;
using schedpol::PodSpec;
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

}  // namespace pod_test
