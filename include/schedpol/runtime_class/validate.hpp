// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the API server would find wrong with a new RuntimeClass. Source: Kubernetes,
/// `pkg/apis/node/validation`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Errors in the name, the handler (a DNS label, required), the node selector labels and the tolerations;
/// a namespace, which no class has; a negative overhead. The API server does not check the limits: more
/// than `max_policy_bytes`, `max_given_items`, or `max_pod_resources` resources. Empty if the class is
/// well formed.
[[nodiscard]] std::vector<FieldError> validate(const RuntimeClass& runtime_class);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/validate.ipp>
#endif
