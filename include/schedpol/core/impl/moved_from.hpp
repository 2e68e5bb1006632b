// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The answers about a moved-from pod, which has nothing left to judge.

#include <schedpol/core/admission.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

[[nodiscard]] inline Violation moved_from_violation(PodKind kind) {
  return {.code = ViolationCode::moved_from, .field = field_path(kind, {"spec"})};
}

[[nodiscard]] inline FieldError moved_from_error(PodKind kind) {
  return {ErrorType::required, field_path(kind, {"spec"}), "", "the pod was moved from"};
}

[[nodiscard]] inline Admission moved_from_denial(Pod&& pod) {
  Admission admission;
  admission.violations.push_back(moved_from_violation(pod.kind));
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
