// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of LabelPolicies: that two of a namespace are the same.

#include <schedpol/engine/impl/systems/label_policy.hpp>
#include <schedpol/insight/impl/changed_policies.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_label_policies(const Objects& objects, const Settings&,
                                                   std::span<const Node>) {
  std::vector<Finding> findings;
  const auto& list = objects.label_policies;
  for (std::size_t i = 1; i < list.size(); ++i)
    if (list[i].spec == list[i - 1].spec)
      findings.push_back(
          {.code = FindingCode::selections_overlap, .policies = {list[i].metadata.name}});
  return findings;
}
inline std::vector<Finding> analyze_changed_label_policies(ChangedPolicies& changed) {
  return analyze_label_policies(changed.written(), changed.settings(), {});
}
inline std::size_t label_policy_texts(const Objects& written) {
  return written.label_policies.size();
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
