// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>

#include <iterator>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline constexpr std::string_view below_template[] = {"template"};
inline constexpr std::string_view below_spec[] = {"spec", "template"};
inline constexpr std::string_view below_job[] = {"spec", "jobTemplate", "spec", "template"};

struct PodKindInfo {
  std::string_view name;
  std::string_view api_version;
  std::span<const std::string_view> template_steps;
};

/// In the order of the enumeration.
inline constexpr PodKindInfo pod_kind_infos[] = {
    {"Pod", "v1", {}},
    {"PodTemplate", "v1", below_template},
    {"ReplicationController", "v1", below_spec},
    {"ReplicaSet", "apps/v1", below_spec},
    {"Deployment", "apps/v1", below_spec},
    {"StatefulSet", "apps/v1", below_spec},
    {"DaemonSet", "apps/v1", below_spec},
    {"Job", "batch/v1", below_spec},
    {"CronJob", "batch/v1", below_job},
};
static_assert(std::size(pod_kind_infos) == pod_kinds.size());

/// Of a number that is no kind nothing is known.
constexpr PodKindInfo info_of(PodKind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(pod_kind_infos) ? pod_kind_infos[index] : PodKindInfo{};
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(PodKind kind) noexcept {
  return detail::info_of(kind).name;
}

SCHEDPOL_INLINE std::optional<PodKind> pod_kind(std::string_view name) noexcept {
  for (const PodKind kind : pod_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

SCHEDPOL_INLINE std::string_view api_version(PodKind kind) noexcept {
  return detail::info_of(kind).api_version;
}

SCHEDPOL_INLINE bool is_in_group(PodKind kind, std::string_view group) noexcept {
  const std::string_view own = api_group(api_version(kind));
  return group == own || (own == "apps" && group == "extensions");
}

SCHEDPOL_INLINE std::span<const std::string_view> template_steps(PodKind kind) noexcept {
  return detail::info_of(kind).template_steps;
}

SCHEDPOL_INLINE FieldPath template_path(PodKind kind) {
  return FieldPath(template_steps(kind));
}

SCHEDPOL_INLINE FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields) {
  return FieldPath(template_steps(kind)).join(fields);
}

}  // namespace SCHEDPOL_NAMESPACE
