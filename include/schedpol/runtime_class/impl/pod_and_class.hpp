// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod and the class it names: which class that is, what of it the pod lacks, and where the two
/// disagree. What follows from it is decided by `admit` and `verify`.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/runtime_class/compile.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class::detail {

using schedpol::detail::to_text;

/// The classes of one name, compiled.
inline CompiledClasses compile_named(std::span<const RuntimeClass> classes, std::string_view name) {
  std::vector<RuntimeClass> named;
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == name) named.push_back(runtime_class);
  }
  return compile(named);
}

/// The class that a pod names. Where there is none the pod is left alone, or denied by the
/// violation.
struct NamedClass {
  const RuntimeClass* runtime_class = nullptr;
  std::optional<Violation> violation;
};

inline NamedClass named_class(const Pod& pod, const CompiledClasses& classes) {
  const std::string& name = pod.spec.runtime_class_name;
  NamedClass named;
  if (name.empty()) {
    if (pod.spec.overhead.empty()) return named;
    named.violation = {.code = ViolationCode::overhead_without_runtime_class,
                       .field = field_path(pod.kind, {"spec", "overhead"}),
                       .value = to_text(pod.spec.overhead)};
    return named;
  }
  named.runtime_class = classes.find(name);
  if (named.runtime_class != nullptr) return named;
  named.violation = {.code = ViolationCode::runtime_class_not_found,
                     .field = field_path(pod.kind, {"spec", "runtimeClassName"}),
                     .value = name};
  if (classes.is_ambiguous(name)) {
    named.violation->code = ViolationCode::ambiguous_policy;
    named.violation->policies = {name};
  }
  return named;
}

/// How the overhead of a pod stands to that of its class.
enum class OverheadState {
  in_place,
  missing,    ///< the pod has none
  other,      ///< the pod has another one
  undefined,  ///< the pod has one, and the class defines none
};

/// A pair of the class's node selector that the pod does not have.
struct MissingPair {
  const std::string* key;
  const std::string* value;
  const std::string* found;  ///< the other value that the pod has there, null where it has none
};

struct ClassMismatch {
  OverheadState overhead = OverheadState::in_place;
  std::vector<MissingPair> node_selector;  ///< in the order of keys
};

inline OverheadState compare_overhead(const ResourceList& of_pod, const RuntimeClass& with) {
  if (!with.overhead || with.overhead->pod_fixed.empty()) {
    return of_pod.empty() ? OverheadState::in_place : OverheadState::undefined;
  }
  if (of_pod.empty()) return OverheadState::missing;
  return of_pod == with.overhead->pod_fixed ? OverheadState::in_place : OverheadState::other;
}

/// Tolerations are not compared: `admit` merges them, and `verify` asks which are covered. Valid as
/// long as both live unchanged.
inline ClassMismatch find_mismatch(const Pod& pod, const RuntimeClass& with) {
  ClassMismatch mismatch;
  mismatch.overhead = compare_overhead(pod.spec.overhead, with);
  if (!with.scheduling) return mismatch;
  for (const auto& [key, value] : with.scheduling->node_selector) {
    const std::string* found = find_label(pod.spec.node_selector, key);
    if (found == nullptr || *found != value) {
      mismatch.node_selector.push_back({&key, &value, found});
    }
  }
  return mismatch;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class::detail
