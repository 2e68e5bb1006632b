// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/workload.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace workload_test {

using schedpol::api_version;
using schedpol::field_path;
using schedpol::has_selector;
using schedpol::is_in_group;
using schedpol::pod_kind;
using schedpol::pod_kinds;
using schedpol::PodKind;
using schedpol::template_path;
using schedpol::template_steps;
using schedpol::to_string;

static_assert(noexcept(to_string(PodKind::pod)));
static_assert(noexcept(pod_kind(std::string_view())));
static_assert(noexcept(api_version(PodKind::pod)));
static_assert(noexcept(is_in_group(PodKind::pod, std::string_view())));
static_assert(noexcept(template_steps(PodKind::pod)));
static_assert(pod_kinds.size() == 9);

TEST_CASE("a kind is found by its name") {
  for (const PodKind kind : pod_kinds) {
    CHECK(pod_kind(to_string(kind)) == kind);
    CHECK(std::count(pod_kinds.begin(), pod_kinds.end(), kind) == 1);
  }
  CHECK(!pod_kind("Node"));
}

TEST_CASE("each kind has its Kubernetes name and its place for the pod template") {
  struct Case {
    std::string name;
    PodKind kind;
    std::string version;
    std::string path;
    std::string node_name;
    bool selects;
  };
  const Case cases[] = {
      {"Pod", PodKind::pod, "v1", "", "spec.nodeName", false},
      {"PodTemplate", PodKind::pod_template, "v1", "template", "template.spec.nodeName", false},
      {"ReplicationController", PodKind::replication_controller, "v1", "spec.template",
       "spec.template.spec.nodeName", true},
      {"ReplicaSet", PodKind::replica_set, "apps/v1", "spec.template",
       "spec.template.spec.nodeName", true},
      {"Deployment", PodKind::deployment, "apps/v1", "spec.template", "spec.template.spec.nodeName",
       true},
      {"StatefulSet", PodKind::stateful_set, "apps/v1", "spec.template",
       "spec.template.spec.nodeName", true},
      {"DaemonSet", PodKind::daemon_set, "apps/v1", "spec.template", "spec.template.spec.nodeName",
       true},
      {"Job", PodKind::job, "batch/v1", "spec.template", "spec.template.spec.nodeName", false},
      {"CronJob", PodKind::cron_job, "batch/v1", "spec.jobTemplate.spec.template",
       "spec.jobTemplate.spec.template.spec.nodeName", false},
  };
  CHECK(std::size(cases) == pod_kinds.size());
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(std::string(to_string(c.kind)) == c.name);
    CHECK((pod_kind(c.name) == c.kind));
    CHECK(std::string(api_version(c.kind)) == c.version);
    CHECK(has_selector(c.kind) == c.selects);
    CHECK(to_string(template_path(c.kind)) == c.path);
    CHECK(to_string(field_path(c.kind, {"spec", "nodeName"})) == c.node_name);
    CHECK(field_path(c.kind, {}) == template_path(c.kind));
    std::string steps;
    for (const std::string_view step : template_steps(c.kind))
      steps.append(steps.empty() ? "" : ".").append(step);
    CHECK(steps == c.path);
  }
}

TEST_CASE("a kind without a pod template is none") {
  const std::string names[] = {"", "pod", "POD", "Pods", " Pod", "Node", "Service", "Workload"};
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(!pod_kind(name));
  }
}

TEST_CASE("a kind is in the group of its version, those of apps in extensions too") {
  struct Case {
    PodKind kind;
    std::vector<std::string> groups;
  };
  const Case cases[] = {
      {PodKind::pod, {""}},
      {PodKind::pod_template, {""}},
      {PodKind::replication_controller, {""}},
      {PodKind::replica_set, {"apps", "extensions"}},
      {PodKind::deployment, {"apps", "extensions"}},
      {PodKind::stateful_set, {"apps", "extensions"}},
      {PodKind::daemon_set, {"apps", "extensions"}},
      {PodKind::job, {"batch"}},
      {PodKind::cron_job, {"batch"}},
  };
  CHECK(std::size(cases) == pod_kinds.size());
  for (const Case& c : cases) {
    for (const std::string group :
         {"", "apps", "extensions", "batch", "v1", "apps/v1", "Apps", "example.com"}) {
      CAPTURE(std::string(to_string(c.kind)));
      CAPTURE(group);
      const bool listed = std::find(c.groups.begin(), c.groups.end(), group) != c.groups.end();
      CHECK(is_in_group(c.kind, group) == listed);
    }
  }
}

}  // namespace workload_test
