// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a LabelPolicy.

#include <schedpol/base/field_error.hpp>
#include <schedpol/label_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::label_policy {

/// That it requires nothing.
[[nodiscard]] std::vector<FieldError> validate(const LabelPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::label_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/label_policy/impl/validate.ipp>
#endif
