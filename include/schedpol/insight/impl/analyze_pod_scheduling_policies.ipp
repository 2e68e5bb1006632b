// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>
#include <schedpol/insight/impl/pod_scheduling_policy_analysis.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies) {
  std::vector<detail::AnalyzedPolicy> good;
  for (const PodSchedulingPolicy& policy : policies)
    if (validate(policy).empty()) good.push_back({&policy});
  detail::Budget budget;
  return detail::PodSchedulingPolicyAnalysis(std::move(good), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
