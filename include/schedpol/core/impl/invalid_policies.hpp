// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The denial of a pod by policies that cannot be compiled.

#include <schedpol/core/admission.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// One `InvalidPolicy` an error, at `field`. Each names the policy that its error is below
/// (`policies[i]`), and all of them where that is no single one.
template <class Policy>
[[nodiscard]] Admission invalid_policies_denial(Pod pod, const FieldPath& field,
                                                const std::vector<FieldError>& errors,
                                                std::span<const Policy> policies) {
  Admission admission;
  for (const FieldError& error : errors) {
    const std::vector<FieldPath::Step> steps = error.field.steps();
    const bool is_of_one = steps.size() > 1;
    std::vector<std::string> names;
    for (const Policy& policy : is_of_one ? policies.subspan(steps[1].index, 1) : policies)
      names.push_back(policy.metadata.name);
    admission.violations.push_back(
        {ViolationCode::invalid_policy, field, message(error), std::move(names)});
  }
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
