// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of ResourcePolicies.

#include <schedpol/engine/impl/systems/resource_policy.hpp>
#include <schedpol/insight/impl/analyze_resource_policies.ipp>
#include <schedpol/insight/impl/changed_policies.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_resource_policies(const Objects& objects, const Settings&,
                                                      std::span<const Node>) {
  return resource_policy::analyze(objects.resource_policies);
}

inline std::vector<Finding> analyze_changed_resource_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using resource_policy::ResourcePolicy;
  const std::vector<ResourcePolicy>& list = changed.written().resource_policies;
  std::vector<resource_policy::detail::AnalyzedResourcePolicy> policies;
  for (const ResourcePolicy& policy : list) policies.push_back({&policy});
  for (const std::string& namespace_ : namespaces_of(list)) {
    const auto* here =
        changed.compiled<ResourcePolicySystem>(System::resource_policy).policies_in(namespace_);
    for (std::size_t i = 0; here != nullptr && i < here->size() && !budget.used_up(); ++i) {
      const ResourcePolicy& policy = (*here)[i];
      if (!changed.is_replaced(policy, list) &&
          resource_policy::detail::is_neighbour(policy, list, budget))
        policies.push_back({&policy, false});
    }
  }
  return resource_policy::detail::ResourcePolicyAnalysis(std::move(policies), budget).run();
}

inline std::size_t resource_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.resource_policies)
    texts += resource_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
