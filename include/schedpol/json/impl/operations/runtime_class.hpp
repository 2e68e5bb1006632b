// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of RuntimeClass, with their inputs and results:
/// - runtimeClass.validate: runtimeClass; errors.
/// - runtimeClass.admit: pod, runtimeClasses; allowed, violations, changes, object, patch.
/// - runtimeClass.verify: pod (after all mutators ran), runtimeClasses; allowed, violations.
/// - runtimeClass.supports: runtimeClass, node; supported, missing (labels).

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/supports.hpp>
#include <schedpol/runtime_class/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void runtime_class_admit(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = input.read_named<runtime_class::RuntimeClass>("runtimeClasses");
  if (input.complete()) write_admission(result, input, pod, runtime_class::admit(pod, classes));
}

inline void runtime_class_validate(Input& input, ObjectWriter& result) {
  const auto of = input.require_unnamed<runtime_class::RuntimeClass>("runtimeClass");
  if (input.complete()) result.member("errors", validate(of));
}

inline void runtime_class_verify(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = input.read_named<runtime_class::RuntimeClass>("runtimeClasses");
  if (!input.complete()) return;
  const auto violations = runtime_class::verify(pod, classes);
  result.member("allowed", violations.empty());
  write_violations(result, violations);
}

inline void runtime_class_supports(Input& input, ObjectWriter& result) {
  const auto of = input.require<runtime_class::RuntimeClass>("runtimeClass");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const runtime_class::Support support = supports(of, node);
  result.member("supported", support.supported).member("missing", support.missing);
}

inline constexpr NamedOperation runtime_class_operations[] = {
    {"runtimeClass.admit", runtime_class_admit},
    {"runtimeClass.supports", runtime_class_supports},
    {"runtimeClass.validate", runtime_class_validate},
    {"runtimeClass.verify", runtime_class_verify},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
