// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What each system's analysis asks for, of the objects of a cluster. That of SchedulingPolicy asks
/// by whom they may be used, in which sets.

#include <schedpol/core/finding.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/grant_table.hpp>
#include <schedpol/metadata_policy/analyze.hpp>
#include <schedpol/pod_scheduling_policy/analyze.hpp>
#include <schedpol/rbac/analyze.hpp>
#include <schedpol/resource_policy/analyze.hpp>
#include <schedpol/runtime_class/analyze.hpp>
#include <schedpol/scheduling_policy/analyze.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

/// Each set of policies that somebody may use, and one of those who may use it.
inline std::vector<scheduling_policy::Grantee> grantees_of(const Analyzed& analyzed) {
  std::set<std::string> names;
  for (const auto& policy : analyzed.objects.scheduling_policies)
    names.insert(policy.metadata.name);
  GrantTable table(analyzed.settings);
  table.change(analyzed.objects.rbac, analyzed.objects.rbac);
  std::vector<scheduling_policy::Grantee> grantees;
  std::set<std::vector<std::string>> known;
  table.for_each_grant([&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
    std::vector<std::string> usable;
    if (grant.all) {
      usable.assign(names.begin(), names.end());
    } else {
      std::copy_if(grant.names.begin(), grant.names.end(), std::back_inserter(usable),
                   [&](const std::string& name) { return names.contains(name); });
    }
    if (usable.empty() || !known.insert(usable).second) return;
    grantees.push_back({std::move(holder.whose), Texts(std::move(usable)), std::move(holder.pod)});
  });
  return grantees;
}

inline std::vector<Finding> analyze_scheduling_policies(const Analyzed& analyzed) {
  const auto& policies = analyzed.objects.scheduling_policies;
  const Settings& settings = analyzed.settings;
  if (settings.policy_use == PolicyUse::every)
    return scheduling_policy::analyze(policies, settings.strategy, settings.options);
  auto grantees = grantees_of(analyzed);
  if (analyzed.written != nullptr) {
    // What others may use stays as it is.
    std::erase_if(grantees, [&](const scheduling_policy::Grantee& grantee) {
      return std::none_of(
          grantee.policies.begin(), grantee.policies.end(),
          [&](const std::string& policy) { return analyzed.written->contains(policy); });
    });
  }
  std::vector<Finding> findings =
      scheduling_policy::analyze(policies, grantees, settings.strategy, settings.options);
  std::vector<Finding> grants = rbac::analyze(analyzed.objects.rbac, settings.access);
  std::move(grants.begin(), grants.end(), std::back_inserter(findings));
  return findings;
}

inline std::vector<Finding> analyze_runtime_classes(const Analyzed& analyzed) {
  return runtime_class::analyze(analyzed.objects.runtime_classes, analyzed.nodes);
}
inline std::vector<Finding> analyze_metadata_policies(const Analyzed& analyzed) {
  return metadata_policy::analyze(analyzed.objects.metadata_policies);
}
inline std::vector<Finding> analyze_pod_scheduling_policies(const Analyzed& analyzed) {
  return pod_scheduling_policy::analyze(analyzed.objects.pod_scheduling_policies);
}
inline std::vector<Finding> analyze_resource_policies(const Analyzed& analyzed) {
  return resource_policy::analyze(analyzed.objects.resource_policies);
}

}  // namespace schedpol::engine::detail
