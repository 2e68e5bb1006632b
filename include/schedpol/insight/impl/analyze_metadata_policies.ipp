// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/impl/metadata_policy_analysis.hpp>
#include <schedpol/metadata_policy/validate.hpp>

#include <cstddef>
#include <utility>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const MetadataPolicy> policies) {
  std::vector<detail::AnalyzedRule> rules;
  for (const MetadataPolicy& policy : policies) {
    if (!validate(policy).empty()) continue;
    for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
  }
  detail::Budget budget;
  return detail::MetadataPolicyAnalysis(std::move(rules), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
