// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of LabelPolicy:
/// - labelPolicy.validate: policy; errors.

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/label_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr NamedOperation label_policy_operations[] = {
    {"labelPolicy.validate", policy_validate<label_policy::LabelPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
