// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of MetadataPolicies.

#include <schedpol/engine/impl/systems/metadata_policy.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/impl/analyze_metadata_policies.ipp>
#include <schedpol/insight/impl/changed_policies.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_metadata_policies(const Objects& objects, const Settings&,
                                                      std::span<const Node>) {
  return metadata_policy::analyze(objects.metadata_policies);
}

inline std::vector<Finding> analyze_changed_metadata_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using metadata_policy::MetadataPolicy;
  const std::vector<MetadataPolicy>& list = changed.written().metadata_policies;
  std::vector<metadata_policy::detail::AnalyzedRule> rules;
  for (const MetadataPolicy& policy : list)
    for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
  std::vector<metadata_policy::detail::AnalyzedRule> stored;
  for (const std::string& namespace_ : namespaces_of(list)) {
    changed.compiled<MetadataPolicySystem>(System::metadata_policy)
        .objects()
        .for_each_in<MetadataPolicy>(namespace_, [&](const MetadataPolicy& policy) {
          if (changed.is_replaced(policy, list)) return true;
          budget.spend(5);
          for (std::size_t i = 0; i < policy.spec.rules.size() && !budget.used_up(); ++i) {
            metadata_policy::detail::AnalyzedRule rule{&policy, i, false};
            if (is_neighbour(rule, rules, budget) && budget.spend(steps_of_neighbour))
              stored.push_back(std::move(rule));
          }
          return !budget.used_up();
        });
  }
  schedpol::detail::append(rules, std::move(stored));
  return metadata_policy::detail::MetadataPolicyAnalysis(std::move(rules), budget).run();
}

inline std::size_t metadata_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.metadata_policies)
    texts += metadata_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
