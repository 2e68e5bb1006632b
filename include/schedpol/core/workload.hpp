// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of objects in which a pod spec stands, and where: a Pod is its own, a workload has a
/// pod template. What is decided for a template is reported with the paths of the document its
/// author wrote (`spec.template.spec.nodeName`).

#include <schedpol/base/field_path.hpp>
#include <schedpol/core/api_version.hpp>

#include <array>
#include <optional>

namespace SCHEDPOL_NAMESPACE {

/// A pod, and what has a pod template.
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

/// All of them, in the order of the enumeration.
inline constexpr std::array<PodKind, 9> pod_kinds = {
    PodKind::pod,         PodKind::pod_template, PodKind::replication_controller,
    PodKind::replica_set, PodKind::deployment,   PodKind::stateful_set,
    PodKind::daemon_set,  PodKind::job,          PodKind::cron_job};

/// The Kubernetes kind: `Pod`, `PodTemplate`, `Deployment`, ...
[[nodiscard]] std::string_view to_string(PodKind kind) noexcept;

/// The kind of that name, or nothing when it has no pod template. Case-sensitive.
[[nodiscard]] std::optional<PodKind> pod_kind(std::string_view name) noexcept;

/// The group and version of the kind: `v1`, `apps/v1` or `batch/v1`.
[[nodiscard]] std::string_view api_version(PodKind kind) noexcept;

/// Whether a request that names this API group (empty: the core group) can be about the kind. The
/// kinds of `apps` were once in `extensions` too.
[[nodiscard]] bool is_in_group(PodKind kind, std::string_view group) noexcept;

/// Whether the author of such a workload writes by which labels it selects its pods, in
/// `spec.selector`. The API server refuses one that does not select its own template. Of a Job it
/// writes the selector itself.
[[nodiscard]] constexpr bool has_selector(PodKind kind) noexcept {
  return kind == PodKind::replication_controller || kind == PodKind::replica_set ||
         kind == PodKind::deployment || kind == PodKind::stateful_set ||
         kind == PodKind::daemon_set;
}

/// The fields that lead to the pod template in an object of the kind: none for a Pod, which is its
/// own, otherwise such as `spec`, `template`.
[[nodiscard]] std::span<const std::string_view> template_steps(PodKind kind) noexcept;

/// The same as a path: `spec.template`.
[[nodiscard]] FieldPath template_path(PodKind kind);

/// Where a field of the pod (`{"spec", "nodeName"}`) stands in an object of the kind
/// (`spec.template.spec.nodeName`).
[[nodiscard]] FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/workload.ipp>
#endif
