// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What LabelPolicies say of a pod.

#include <schedpol/core/admission.hpp>
#include <schedpol/label_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

/// Denied for each label that a policy of its namespace requires and the pod lacks.
[[nodiscard]] Admission admit(Pod pod, const CompiledPolicies& compiled);

}  // namespace SCHEDPOL_NAMESPACE::label_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/label_policy/impl/admit.ipp>
#endif
