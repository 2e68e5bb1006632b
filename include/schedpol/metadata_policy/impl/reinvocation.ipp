// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/impl/admit.ipp>
#include <schedpol/metadata_policy/reinvocation.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// `old` is null when the object is created. None where the object is allowed as it came.
[[nodiscard]] inline std::optional<MetadataAdmission> readmit(const ObjectMeta& metadata,
                                                              const ObjectMeta* old,
                                                              const CompiledPolicies& policies,
                                                              const FieldPath& field) {
  if (!metadata.deletion_timestamp.empty()) return std::nullopt;
  std::optional<MetadataAdmission> admission = decide(metadata, old, policies, field);
  if (admission && admission->allowed && admission->changes.empty()) return admission;
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  if (compiled == nullptr) return admission;
  std::optional<ObjectMeta> before = compiled->written.without(metadata);
  if (!before) return admission;
  std::optional<MetadataAdmission> made = decide(*std::move(before), nullptr, policies, field);
  if (!made->allowed || made->metadata != metadata) return admission;
  made->changes.clear();
  return made;
}

[[nodiscard]] inline MetadataAdmission as_it_came(std::optional<MetadataAdmission>&& admission,
                                                  ObjectMeta&& metadata) {
  if (admission) return *std::move(admission);
  return {.allowed = true, .metadata = std::move(metadata)};
}

/// Whether a pod has to say its quality of service.
[[nodiscard]] inline bool says_qos(const Pod& pod, const CompiledPolicies& policies,
                                   QosAnnotation qos) {
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  return qos == QosAnnotation::always ||
         (compiled != nullptr && compiled->uses_qos(namespace_of(pod.metadata)));
}

[[nodiscard]] inline Admission readmit(const Pod& pod, const ObjectMeta* old,
                                       const CompiledPolicies& policies, bool says_qos) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(Pod(pod));
  const bool chooses_scheduler = old == nullptr || pod.kind != PodKind::pod;
  return to_admission(pod, choose(pod, chooses_scheduler, says_qos,
                                  [&](const ObjectMeta& metadata, const FieldPath& field) {
                                    return readmit(metadata, old, policies, field);
                                  }));
}

}  // namespace detail

SCHEDPOL_INLINE MetadataAdmission readmit(ObjectMeta metadata, const CompiledPolicies& policies,
                                          const FieldPath& field) {
  auto admission = detail::readmit(metadata, nullptr, policies, field);
  return detail::as_it_came(std::move(admission), std::move(metadata));
}

SCHEDPOL_INLINE MetadataAdmission readmit_update(const Old<ObjectMeta>& old, ObjectMeta updated,
                                                 const CompiledPolicies& policies,
                                                 const FieldPath& field) {
  auto admission = detail::readmit(updated, &old.object, policies, field);
  return detail::as_it_came(std::move(admission), std::move(updated));
}

SCHEDPOL_INLINE Admission readmit(const Pod& pod, const CompiledPolicies& policies,
                                  QosAnnotation qos) {
  return detail::readmit(pod, nullptr, policies, detail::says_qos(pod, policies, qos));
}

SCHEDPOL_INLINE Admission readmit_update(const Old<Pod>& old, const Pod& updated,
                                         const CompiledPolicies& policies, QosAnnotation qos) {
  if (!detail::says_qos(updated, policies, qos))
    return detail::readmit(updated, &old.object.metadata, policies, false);
  const ObjectMeta before = annotate_qos(old.object).metadata;
  return detail::readmit(updated, &before, policies, true);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
