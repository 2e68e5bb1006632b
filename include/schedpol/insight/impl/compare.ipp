// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/impl/policy_comparison.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::string_view to_string(Relation relation) noexcept {
  switch (relation) {
    case Relation::equivalent: return "Equivalent";
    case Relation::stricter: return "Stricter";
    case Relation::looser: return "Looser";
    case Relation::incomparable: return "Incomparable";
  }
  return "";
}

SCHEDPOL_INLINE Result<Comparison> compare(const EffectivePolicy& before,
                                           const EffectivePolicy& after,
                                           const Options& options_before,
                                           const Options& options_after) {
  detail::Budget budget;
  auto compared =
      detail::PolicyComparison(before, after, options_before, options_after, budget).run();
  if (!compared) return detail::Budget::exceeded(FieldPath{"spec"});
  return *std::move(compared);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
