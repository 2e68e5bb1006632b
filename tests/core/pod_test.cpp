// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/pod.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

using schedpol::field_path;
using schedpol::ObjectMeta;
using schedpol::Pod;
using schedpol::pod_kind;
using schedpol::pod_kinds;
using schedpol::PodKind;
using schedpol::PodSpec;
using schedpol::template_path;
using schedpol::to_string;
using namespace std::string_view_literals;

static_assert(std::is_aggregate_v<ObjectMeta>);
static_assert(std::is_aggregate_v<PodSpec>);
static_assert(std::is_aggregate_v<Pod>);
static_assert(std::is_nothrow_move_constructible_v<ObjectMeta>);
static_assert(std::is_nothrow_move_constructible_v<PodSpec>);
static_assert(std::is_nothrow_move_constructible_v<Pod>);
static_assert(std::is_nothrow_move_assignable_v<Pod>);
static_assert(std::equality_comparable<Pod>);
static_assert(noexcept(to_string(PodKind::pod)));
static_assert(noexcept(pod_kind("Pod")));
static_assert(noexcept(template_path(PodKind::pod)));

static_assert(schedpol::default_scheduler_name == "default-scheduler"sv);
static_assert(pod_kinds.size() == 9);
static_assert(std::all_of(pod_kinds.begin(), pod_kinds.end(), [](PodKind kind) {
  return pod_kind(to_string(kind)) == kind &&
         std::count(pod_kinds.begin(), pod_kinds.end(), kind) == 1;
}));

static_assert(template_path(PodKind::pod).empty());
static_assert(template_path(PodKind::cron_job) == "spec.jobTemplate.spec.template"sv);
static_assert(pod_kind("Deployment") == PodKind::deployment);
static_assert(!pod_kind("Node"));

TEST_CASE("each kind has its Kubernetes name and its place for the pod template") {
  struct Case {
    std::string name;
    PodKind kind;
    std::string path;
    std::string node_name;
  };
  const Case cases[] = {
      {"Pod", PodKind::pod, "", "spec.nodeName"},
      {"PodTemplate", PodKind::pod_template, "template", "template.spec.nodeName"},
      {"ReplicationController", PodKind::replication_controller, "spec.template",
       "spec.template.spec.nodeName"},
      {"ReplicaSet", PodKind::replica_set, "spec.template", "spec.template.spec.nodeName"},
      {"Deployment", PodKind::deployment, "spec.template", "spec.template.spec.nodeName"},
      {"StatefulSet", PodKind::stateful_set, "spec.template", "spec.template.spec.nodeName"},
      {"DaemonSet", PodKind::daemon_set, "spec.template", "spec.template.spec.nodeName"},
      {"Job", PodKind::job, "spec.template", "spec.template.spec.nodeName"},
      {"CronJob", PodKind::cron_job, "spec.jobTemplate.spec.template",
       "spec.jobTemplate.spec.template.spec.nodeName"},
  };
  CHECK(std::size(cases) == pod_kinds.size());
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(std::string(to_string(c.kind)) == c.name);
    CHECK((pod_kind(c.name) == c.kind));
    CHECK(std::string(template_path(c.kind)) == c.path);
    CHECK(field_path(c.kind, "spec.nodeName") == c.node_name);
  }
}

TEST_CASE("a kind without a pod template is none") {
  const std::string names[] = {"", "pod", "POD", "Pods", " Pod", "Node", "Service", "Workload"};
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(!pod_kind(name));
  }
}

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
