// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of objects that contain a pod spec, and where: a Pod itself, and the pod template of a
/// workload. A decision on a template has the field paths of the document that its author wrote
/// (`spec.template.spec.nodeName`).

#include <schedpol/base/field_path.hpp>
#include <schedpol/core/api_version.hpp>

#include <array>
#include <optional>

namespace SCHEDPOL_NAMESPACE {

/// A pod, and the kinds with a pod template.
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

/// All kinds, in the order of the enumeration.
inline constexpr std::array<PodKind, 9> pod_kinds = {
    PodKind::pod,         PodKind::pod_template, PodKind::replication_controller,
    PodKind::replica_set, PodKind::deployment,   PodKind::stateful_set,
    PodKind::daemon_set,  PodKind::job,          PodKind::cron_job};

/// The Kubernetes kind: `Pod`, `PodTemplate`, `Deployment`, ...
[[nodiscard]] std::string_view to_string(PodKind kind) noexcept;

/// The kind of that name; nothing if a kind of that name has no pod template. Case-sensitive.
[[nodiscard]] std::optional<PodKind> pod_kind(std::string_view name) noexcept;

/// The group and version of the kind: `v1`, `apps/v1` or `batch/v1`.
[[nodiscard]] std::string_view api_version(PodKind kind) noexcept;

/// Whether the kind can be in this API group (empty: the core group). The kinds of `apps` were once in
/// `extensions` too.
[[nodiscard]] bool is_in_group(PodKind kind, std::string_view group) noexcept;

/// Whether authors of this kind write a selector of pods in `spec.selector`. The API server refuses a
/// workload whose selector does not match its own template. For a Job, the API server writes the
/// selector itself.
[[nodiscard]] constexpr bool has_selector(PodKind kind) noexcept {
  return kind == PodKind::replication_controller || kind == PodKind::replica_set ||
         kind == PodKind::deployment || kind == PodKind::stateful_set ||
         kind == PodKind::daemon_set;
}

/// The fields that lead to the pod template in an object of the kind, such as `spec`, `template`. Empty
/// for a Pod.
[[nodiscard]] std::span<const std::string_view> template_steps(PodKind kind) noexcept;

/// The same as a path: `spec.template`.
[[nodiscard]] FieldPath template_path(PodKind kind);

/// The path of a pod field (`{"spec", "nodeName"}`) in an object of the kind
/// (`spec.template.spec.nodeName`).
[[nodiscard]] FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/workload.ipp>
#endif
