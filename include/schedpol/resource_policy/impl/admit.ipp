// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/invalid_policies.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/admit.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  Admission admission;
  if (policies.impl_) {
    std::vector<std::string> selecting;
    policies.impl_->for_each_selecting(pod, [&](std::size_t policy) {
      selecting.push_back(policies.impl_->policies[policy].name);
    });
    admission.allowed = selecting.size() <= 1;
    if (!admission.allowed) {
      std::sort(selecting.begin(), selecting.end());
      admission.violations.push_back({ViolationCode::multiple_resource_policies,
                                      field_path(pod.kind, {"metadata", "labels"}), "",
                                      std::move(selecting)});
    }
  } else {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(pod.kind, {"spec"}),
                                    "no policies were compiled",
                                    {}});
  }
  admission.pod = std::move(pod);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, std::span<const ResourcePolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(pod), *compiled);
  const FieldPath field = field_path(pod.kind, {"spec"});
  return schedpol::detail::invalid_policies_denial(std::move(pod), field, compiled.errors(),
                                                   policies);
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
