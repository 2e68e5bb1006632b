// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a RuntimeClass, as the API server would find it when it is created. Source:
/// Kubernetes, `pkg/apis/node/validation`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Its name, a namespace, which no class has, its handler (a DNS label, required), a negative overhead,
/// the labels of its node selector, its tolerations; and what the API server does not look at: more
/// than `max_policy_bytes`, `max_given_items`, or resources than `max_pod_resources`. None when it is
/// well formed.
[[nodiscard]] std::vector<FieldError> validate(const RuntimeClass& runtime_class);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/runtime_class/impl/validate.ipp>
#endif
