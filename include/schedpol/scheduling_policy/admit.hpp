// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole decision of the SchedulingPolicy admission controller on a new pod: defaults first,
/// then the check of what came out. For updates there is `check_update`, which never defaults.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

/// Allowed: the pod with its defaults, and what they changed. Denied: the pod as it came, and every
/// violation that it has with its defaults. Admitting the result again allows it and changes
/// nothing.
[[nodiscard]] inline Admission admit(Pod pod, const EffectivePolicy& effective,
                                     const Options& options = {}) {
  Admission admission;
  Defaulted defaulted = apply_defaults(pod, effective, options);
  admission.violations = check(defaulted.pod, effective, options);
  admission.allowed = admission.violations.empty();
  if (!admission.allowed) {
    admission.pod = std::move(pod);
    return admission;
  }
  admission.pod = std::move(defaulted.pod);
  admission.changes = std::move(defaulted.changes);
  if (!admission.changes.empty()) admission.before = std::move(pod);
  return admission;
}

}  // namespace schedpol::scheduling_policy
