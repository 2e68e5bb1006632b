// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_resource_policies.hpp>
#include <schedpol/insight/impl/resource_policy_analysis.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::resource_policy {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const ResourcePolicy> policies) {
  std::vector<detail::AnalyzedPolicy> good;
  for (const ResourcePolicy& policy : policies)
    if (validate(policy).errors.empty()) good.push_back({&policy});
  detail::Budget budget;
  return detail::ResourcePolicyAnalysis(std::move(good), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
