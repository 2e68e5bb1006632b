// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/impl/policy_rules.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

SCHEDPOL_INLINE std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  detail::validate_policy(errors, {}, policy);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
