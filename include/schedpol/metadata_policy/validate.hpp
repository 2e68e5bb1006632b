// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a MetadataPolicy, apart from what its types already exclude.

#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Errors in the name, the selectors, and the labels and annotation keys that its rules update, even in
/// a rule that rejects; a spec of more than `max_policy_bytes`. Empty if the policy is well
/// formed.
[[nodiscard]] std::vector<FieldError> validate(const MetadataPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/validate.ipp>
#endif
