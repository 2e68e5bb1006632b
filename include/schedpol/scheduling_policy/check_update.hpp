// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether an update of a pod or template is permitted. An update never defaults, and is denied
/// only for what it adds: a metadata edit of a running pod is not refused for a policy that came
/// later, while an added toleration is always checked.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The violations of `updated` that `old` did not have; violations are told apart by code, field
/// without the indices of its lists, which an update may shift, and value. Without any usable
/// policy, or with an ambiguous one, that is the one violation of `check`, when the update asks for
/// anything that `old` did not.
[[nodiscard]] std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                  const EffectivePolicy& effective,
                                                  const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/check_update.ipp>
#endif
