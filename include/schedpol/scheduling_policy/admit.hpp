// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole decision of the SchedulingPolicy admission controller on a new pod: `apply_defaults`,
/// then `check` on the result. For updates, use `check_update`, which gives no defaults.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// If allowed, the pod with its defaults and their changes. If denied, the pod as it came, and every
/// violation of the pod with its defaults. Admitting an allowed result again allows it and changes
/// nothing.
[[nodiscard]] Admission admit(Pod pod, const EffectivePolicy& effective,
                              const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/admit.ipp>
#endif
