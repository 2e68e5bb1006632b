// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole decision of the SchedulingPolicy admission controller on a new pod: defaults first,
/// then the check of what came out. For updates there is `check_update`, which never defaults.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Allowed: the pod with its defaults, and what they changed. Denied: the pod as it came, and every
/// violation that it has with its defaults. Admitting the result again allows it and changes
/// nothing.
[[nodiscard]] Admission admit(Pod pod, const EffectivePolicy& effective,
                              const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/admit.ipp>
#endif
