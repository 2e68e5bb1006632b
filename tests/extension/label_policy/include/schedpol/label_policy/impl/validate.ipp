// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/label_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

SCHEDPOL_INLINE std::vector<FieldError> validate(const LabelPolicy& policy) {
  if (!policy.spec.required_labels.empty()) return {};
  return {{ErrorType::required, FieldPath{"spec", "requiredLabels"}, "", "it requires nothing"}};
}

}  // namespace SCHEDPOL_NAMESPACE::label_policy
