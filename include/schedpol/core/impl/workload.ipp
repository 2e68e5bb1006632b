// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline constexpr std::string_view below_template[] = {"template"};
inline constexpr std::string_view below_spec[] = {"spec", "template"};
inline constexpr std::string_view below_job[] = {"spec", "jobTemplate", "spec", "template"};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return "Pod";
    case PodKind::pod_template: return "PodTemplate";
    case PodKind::replication_controller: return "ReplicationController";
    case PodKind::replica_set: return "ReplicaSet";
    case PodKind::deployment: return "Deployment";
    case PodKind::stateful_set: return "StatefulSet";
    case PodKind::daemon_set: return "DaemonSet";
    case PodKind::job: return "Job";
    case PodKind::cron_job: return "CronJob";
  }
  return "";
}

SCHEDPOL_INLINE std::optional<PodKind> pod_kind(std::string_view name) noexcept {
  for (const PodKind kind : pod_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

SCHEDPOL_INLINE std::string_view api_version(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod:
    case PodKind::pod_template:
    case PodKind::replication_controller: return "v1";
    case PodKind::job:
    case PodKind::cron_job: return "batch/v1";
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set: break;
  }
  return "apps/v1";
}

SCHEDPOL_INLINE bool is_in_group(PodKind kind, std::string_view group) noexcept {
  const std::string_view own = api_group(api_version(kind));
  return group == own || (own == "apps" && group == "extensions");
}

SCHEDPOL_INLINE std::span<const std::string_view> template_steps(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return {};
    case PodKind::pod_template: return detail::below_template;
    case PodKind::cron_job: return detail::below_job;
    case PodKind::replication_controller:
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set:
    case PodKind::job: break;
  }
  return detail::below_spec;
}

SCHEDPOL_INLINE FieldPath template_path(PodKind kind) {
  return FieldPath(template_steps(kind));
}

SCHEDPOL_INLINE FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields) {
  return FieldPath(template_steps(kind)).join(fields);
}

}  // namespace SCHEDPOL_NAMESPACE
