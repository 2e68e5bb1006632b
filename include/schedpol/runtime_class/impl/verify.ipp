// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/impl/pod_and_class.hpp>
#include <schedpol/runtime_class/verify.hpp>

#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

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
  const ClassMismatch mismatch = mismatch_of(pod, of);
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

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes) {
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
