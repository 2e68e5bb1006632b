// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the kinds that there are have their pod.

#include <schedpol/core/workload.hpp>

namespace schedpol::testing {

struct PodTemplate {
  PodKind kind;
  const char* prefix;  ///< of the paths in it
};

inline constexpr PodTemplate pod_templates[] = {
    {PodKind::pod, ""},
    {PodKind::pod_template, "template."},
    {PodKind::replication_controller, "spec.template."},
    {PodKind::replica_set, "spec.template."},
    {PodKind::deployment, "spec.template."},
    {PodKind::stateful_set, "spec.template."},
    {PodKind::daemon_set, "spec.template."},
    {PodKind::job, "spec.template."},
    {PodKind::cron_job, "spec.jobTemplate.spec.template."},
};

}  // namespace schedpol::testing
