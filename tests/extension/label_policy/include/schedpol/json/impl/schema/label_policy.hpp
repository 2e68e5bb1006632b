// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of LabelPolicy.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/label_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<label_policy::LabelPolicySpec> =
    object(field("requiredLabels", &label_policy::LabelPolicySpec::required_labels));

template <>
inline constexpr auto schema<label_policy::LabelPolicy> =
    object(Traits{.kind = "LabelPolicy",
                  .api_version = label_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &label_policy::LabelPolicy::metadata),
           field("spec", &label_policy::LabelPolicy::spec));

using LabelPolicyValues = Types<label_policy::LabelPolicySpec, label_policy::LabelPolicy>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
