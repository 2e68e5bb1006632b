// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impl/pod_fixer.hpp>
#include <schedpol/insight/nearest_fix.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE Result<Optional<Fix>> nearest_fix(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  detail::Budget budget;
  auto fix = detail::PodFixer(pod, effective, options, budget).run();
  if (budget.used_up()) return detail::Budget::exceeded(FieldPath{"spec"});
  return Optional<Fix>(std::move(fix));
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
