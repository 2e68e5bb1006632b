// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/label_policy/admit.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledPolicies& compiled) {
  Admission admission;
  if (!compiled.policies) {
    admission.violations.push_back({});
  } else {
    for (const LabelPolicy& policy : *compiled.policies)
      for (const std::string& key : policy.spec.required_labels)
        if (policy.metadata.namespace_ == namespace_of(pod.metadata) &&
            !pod.metadata.labels.contains(key))
          admission.violations.push_back({.code = ViolationCode::label_required,
                                          .field = FieldPath{"metadata", "labels"},
                                          .value = key,
                                          .policies = {policy.metadata.name}});
  }
  admission.allowed = admission.violations.empty();
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::label_policy
