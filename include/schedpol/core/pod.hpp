// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods, and the pod templates of workloads, as far as scheduling policies look at them. A template
/// is a Pod that knows which kind of object it stands in, so that every function takes both and
/// field paths are those of the document its author wrote.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

/// `namespace_` is empty for cluster-scoped objects, and where the author left it out.
struct ObjectMeta {
  std::string name{};
  std::string namespace_{};
  Labels labels{};
  Labels annotations{};
  std::string deletion_timestamp{};  ///< not empty: the object is being deleted

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// The scheduler of pods that name none.
inline constexpr std::string_view default_scheduler_name = "default-scheduler";

/// How a pod that says `default-scheduler` is taken, where something else could be filled in.
enum class DefaultScheduler {
  specified,    ///< it asks for that scheduler
  unspecified,  ///< it names none: the API server has filled the name in before a webhook sees it
};

/// What containers, or a whole pod, ask for and may use at most.
struct ResourceRequirements {
  ResourceList requests{};
  ResourceList limits{};

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

struct Container {
  std::string name{};
  ResourceRequirements resources{};

  friend bool operator==(const Container&, const Container&) = default;
};

/// An empty string, list or map is the same as an absent one, as in core/v1.
struct PodSpec {
  std::string scheduler_name{};  ///< empty: `default_scheduler_name`
  std::string node_name{};       ///< not empty: the pod goes past every scheduler
  std::string priority_class_name{};
  std::optional<std::int32_t> priority{};  ///< derived from the class by the API server
  std::string preemption_policy{};         ///< derived from the class by the API server
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};
  std::string service_account_name{};  ///< empty: `service_account`, then `default`
  std::string service_account{};       ///< the deprecated spelling of `service_account_name`
  std::string runtime_class_name{};
  ResourceList overhead{};  ///< what the pod's runtime needs besides its containers
  std::vector<Container> init_containers{};
  std::vector<Container> containers{};
  std::optional<ResourceRequirements> resources{};  ///< of the pod as a whole

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// `phase` is `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; a template has none.
struct PodStatus {
  std::string phase{};

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// The kind of object in which a pod spec stands.
enum class PodKind {
  pod,
  pod_template,
  replication_controller,
  replica_set,
  deployment,
  stateful_set,
  daemon_set,
  job,
  cron_job,
};

inline constexpr std::array<PodKind, 9> pod_kinds = {
    PodKind::pod,         PodKind::pod_template, PodKind::replication_controller,
    PodKind::replica_set, PodKind::deployment,   PodKind::stateful_set,
    PodKind::daemon_set,  PodKind::job,          PodKind::cron_job};

/// The Kubernetes kind: `Pod`, `PodTemplate`, `Deployment`, ...
[[nodiscard]] constexpr std::string_view to_string(PodKind kind) noexcept {
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

/// The kind of that name, or nothing when it has no pod template. Case-sensitive.
[[nodiscard]] constexpr std::optional<PodKind> pod_kind(std::string_view name) noexcept {
  for (const PodKind kind : pod_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

/// Where the pod template stands in an object of that kind: empty for a Pod, which is its own,
/// otherwise a field path such as `spec.template`.
[[nodiscard]] constexpr std::string_view template_path(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return "";
    case PodKind::pod_template: return "template";
    case PodKind::cron_job: return "spec.jobTemplate.spec.template";
    case PodKind::replication_controller:
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set:
    case PodKind::job: break;
  }
  return "spec.template";
}

/// A pod, or the pod template of a workload. `metadata` is the pod's or the template's; a template
/// takes `name` and `namespace_` from its workload where it has none.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// The path of a field of the pod (`spec.nodeName`) in the object it stands in
/// (`spec.template.spec.nodeName`).
[[nodiscard]] inline std::string field_path(PodKind kind, std::string_view field) {
  std::string path(template_path(kind));
  if (!path.empty()) path += '.';
  return path.append(field);
}

}  // namespace schedpol
