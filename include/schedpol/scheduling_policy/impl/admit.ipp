// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const EffectivePolicy& effective, const Options& options) {
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

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
