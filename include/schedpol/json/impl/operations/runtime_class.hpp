// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The operation of RuntimeClass, with its inputs and results:
/// - runtimeClass.admit: pod, runtimeClasses; allowed, violations, changes, object, patch.

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/schema/runtime_class.hpp>
#include <schedpol/runtime_class/admit.hpp>

namespace schedpol::json::detail {

inline void runtime_class_admit(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  const auto classes = input.read_named<runtime_class::RuntimeClass>("runtimeClasses");
  if (input.complete()) write_admission(result, input, pod, runtime_class::admit(pod, classes));
}

inline constexpr NamedOperation runtime_class_operations[] = {
    {"runtimeClass.admit", runtime_class_admit},
};

}  // namespace schedpol::json::detail
