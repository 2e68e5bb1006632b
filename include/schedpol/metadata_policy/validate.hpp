// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a MetadataPolicy, beyond what its types already rule out.

#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Its name, its selectors, the labels and the keys of the annotations that its rules update, those
/// of a rule that rejects too, and that it is larger than `max_policy_bytes`. None when it is well
/// formed.
[[nodiscard]] std::vector<FieldError> validate(const MetadataPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/metadata_policy/impl/validate.ipp>
#endif
