// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::vector<FieldError> validate(const Labels& labels, const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_labels(errors, field, labels);
  return std::move(errors).take();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                                 const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_tolerations(errors, field, tolerations);
  return std::move(errors).take();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const Affinity& affinity, const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_affinity(errors, field, affinity);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE
