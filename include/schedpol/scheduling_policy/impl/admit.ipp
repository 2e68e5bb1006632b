// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const EffectivePolicy& effective, const Options& options) {
  Defaulted defaulted = apply_defaults(pod, effective, options);
  std::vector<Violation> violations = check(defaulted.pod, effective, options);
  const bool allowed = violations.empty();
  const bool changed = allowed && !defaulted.changes.empty();
  return {.allowed = allowed,
          .pod = std::move(allowed ? defaulted.pod : pod),
          .violations = std::move(violations),
          .changes = changed ? std::move(defaulted.changes) : std::vector<Change>(),
          .before = changed ? std::optional(std::move(pod)) : std::nullopt,
          .warnings = allowed ? std::move(defaulted.warnings) : std::vector<Warning>()};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
