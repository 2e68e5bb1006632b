// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/impl/scheduling_policy_analysis.hpp>

#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  analysis.look_at_all(policies);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             std::span<const Grantee> grantees,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  std::map<std::string_view, const SchedulingPolicy*> by_name;
  for (const SchedulingPolicy& policy : policies) by_name.emplace(policy.metadata.name, &policy);
  std::set<std::string_view> used;
  for (const Grantee& grantee : grantees) {
    std::vector<SchedulingPolicy> theirs;
    for (const std::string& name : grantee.policies) {
      used.insert(name);
      const auto found = by_name.find(name);
      if (found != by_name.end() && !budget.used_up()) theirs.push_back(*found->second);
    }
    analysis.look_at(theirs, grantee.whose, grantee.pod);
  }
  for (const SchedulingPolicy& policy : policies)
    if (!used.contains(policy.metadata.name)) analysis.note_unused(policy);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
