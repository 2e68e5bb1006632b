// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/impl/pod_and_class.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

/// A violation for all in which the pod contradicts its class.
inline std::vector<Violation> conflict_violations(const Pod& pod, const ClassMismatch& mismatch,
                                                  const RuntimeClass& from) {
  std::vector<Violation> violations;
  if (mismatch.overhead == OverheadState::other || mismatch.overhead == OverheadState::undefined) {
    violations.push_back({.code = mismatch.overhead == OverheadState::other
                                      ? ViolationCode::overhead_mismatch
                                      : ViolationCode::overhead_without_runtime_class,
                          .field = field_path(pod.kind, {"spec", "overhead"}),
                          .value = to_text(pod.spec.overhead),
                          .policies = {from.metadata.name}});
    if (from.overhead && !from.overhead->pod_fixed.empty())
      violations.back().permitted = {to_text(from.overhead->pod_fixed)};
  }
  for (const MissingPair& pair : mismatch.node_selector) {
    if (pair.found == nullptr) continue;
    violations.push_back({.code = ViolationCode::node_selector_conflict,
                          .field = field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key),
                          .value = *pair.found,
                          .policies = {from.metadata.name},
                          .permitted = {*pair.value}});
  }
  return violations;
}

/// The admission of a pod that does not contradict its class, with what it lacks of it. Of tolerations the union, where
/// that is not the pod's own; one of the pod that it no longer lists was covered by another, or is
/// there once already.
[[nodiscard]] inline Admission with_class(Pod pod, const ClassMismatch& mismatch,
                                          const RuntimeClass& from) {
  Admission admission;
  admission.allowed = true;
  const auto note = [&](FieldPath field, std::optional<std::string> before,
                        std::optional<std::string> after) {
    admission.changes.push_back(
        {std::move(field), std::move(before), std::move(after), from.metadata.name});
  };
  if (mismatch.overhead == OverheadState::missing)
    note(field_path(pod.kind, {"spec", "overhead"}), std::nullopt,
         to_text(from.overhead->pod_fixed));
  for (const MissingPair& pair : mismatch.node_selector)
    note(field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key), std::nullopt, *pair.value);
  std::optional<std::vector<Toleration>> tolerations;
  if (from.scheduling) {
    const std::vector<Toleration>& own = pod.spec.tolerations;
    std::vector<Toleration> merged = merge(own, from.scheduling->tolerations);
    const std::vector<std::size_t> dropped = schedpol::detail::missing_from(merged, own);
    const std::vector<std::size_t> added = schedpol::detail::missing_from(own, merged);
    const FieldPath field = field_path(pod.kind, {"spec", "tolerations"});
    for (const std::size_t i : dropped) note(field.index(i), to_string(own[i]), std::nullopt);
    for (const std::size_t i : added) note(field.index(i), std::nullopt, to_string(merged[i]));
    if (!dropped.empty() || !added.empty()) tolerations = std::move(merged);
  }
  if (!admission.changes.empty()) admission.before.emplace(pod);
  if (mismatch.overhead == OverheadState::missing) pod.spec.overhead = from.overhead->pod_fixed;
  for (const MissingPair& pair : mismatch.node_selector)
    pod.spec.node_selector.try_emplace(*pair.key, *pair.value);
  if (tolerations) pod.spec.tolerations = *std::move(tolerations);
  admission.pod = std::move(pod);
  return admission;
}

inline bool is_covered(const Toleration& toleration, std::span<const Toleration> by) noexcept {
  for (const Toleration& own : by) {
    if (covers(own, toleration)) return true;
  }
  return false;
}

/// What of the class a pod lacks.
inline std::vector<Violation> lacks(const Pod& pod, const RuntimeClass& of) {
  std::vector<Violation> violations;
  const auto lack = [&](ViolationCode code, FieldPath field, std::string value) {
    violations.push_back({.code = code,
                          .field = std::move(field),
                          .value = std::move(value),
                          .policies = {of.metadata.name}});
  };
  const ClassMismatch mismatch = find_mismatch(pod, of);
  if (mismatch.overhead != OverheadState::in_place) {
    lack(mismatch.overhead == OverheadState::undefined
             ? ViolationCode::overhead_without_runtime_class
             : ViolationCode::overhead_mismatch,
         field_path(pod.kind, {"spec", "overhead"}), to_text(pod.spec.overhead));
  }
  for (const MissingPair& pair : mismatch.node_selector) {
    lack(ViolationCode::node_selector_required,
         field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key),
         pair.found == nullptr ? "" : *pair.found);
  }
  if (!of.scheduling) return violations;
  for (const Toleration& toleration : of.scheduling->tolerations) {
    if (is_covered(toleration, pod.spec.tolerations)) continue;
    lack(ViolationCode::toleration_required, field_path(pod.kind, {"spec", "tolerations"}),
         to_string(toleration));
  }
  return violations;
}

}  // namespace detail

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledClasses& classes) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  detail::NamedClass named = detail::named_class(pod, classes);
  Admission admission;
  if (named.violation) admission.violations.push_back(*std::move(named.violation));
  if (named.runtime_class != nullptr) {
    const detail::ClassMismatch mismatch = detail::find_mismatch(pod, *named.runtime_class);
    admission.violations = detail::conflict_violations(pod, mismatch, *named.runtime_class);
    if (admission.violations.empty())
      return detail::with_class(std::move(pod), mismatch, *named.runtime_class);
  }
  admission.allowed = admission.violations.empty();
  admission.pod = std::move(pod);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, std::span<const RuntimeClass> classes) {
  const CompiledClasses named = detail::compile_named(classes, pod.spec.runtime_class_name);
  return admit(std::move(pod), named);
}

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes) {
  if (pod.spec.moved_from) return {schedpol::detail::moved_from_violation(pod.kind)};
  detail::NamedClass named = detail::named_class(pod, classes);
  if (named.runtime_class != nullptr) return detail::lacks(pod, *named.runtime_class);
  std::vector<Violation> violations;
  if (named.violation) violations.push_back(*std::move(named.violation));
  return violations;
}

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod,
                                              std::span<const RuntimeClass> classes) {
  return verify(pod, detail::compile_named(classes, pod.spec.runtime_class_name));
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
