// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What each system's analysis asks for, of the objects of a cluster. That of SchedulingPolicy asks
/// by whom they may be used, in which sets.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/grant_table.hpp>
#include <schedpol/insight/analyze_metadata_policies.hpp>
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>
#include <schedpol/insight/analyze_rbac.hpp>
#include <schedpol/insight/analyze_resource_policies.hpp>
#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/insight/impl/given_unpermitted.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What is analyzed of a system: objects that can be used, what is told besides, and the nodes of the
/// cluster.
struct Analyzed {
  const Objects& objects;
  const Settings& settings;
  std::span<const Node> nodes;
};

/// Each set of policies that somebody may use, and one of those who may use it.
inline std::vector<scheduling_policy::Grantee> grantees_of(const Analyzed& analyzed) {
  std::set<std::string_view> names;
  for (const auto& policy : analyzed.objects.scheduling_policies)
    names.insert(policy.metadata.name);
  GrantTable table(analyzed.settings);
  table.change(analyzed.objects.rbac, analyzed.objects.rbac);
  std::vector<scheduling_policy::Grantee> grantees;
  std::set<std::vector<std::string_view>> known;
  table.for_each_grant([&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
    std::vector<std::string_view> usable;
    if (grant.all) {
      usable.assign(names.begin(), names.end());
    } else {
      std::copy_if(grant.names.begin(), grant.names.end(), std::back_inserter(usable),
                   [&](std::string_view name) { return names.contains(name); });
    }
    if (usable.empty()) return;
    const auto [set, is_new] = known.insert(std::move(usable));
    if (!is_new) return;
    grantees.push_back({std::move(holder.whose),
                        Texts(std::vector<std::string>(set->begin(), set->end())),
                        std::move(holder.pod)});
  });
  return grantees;
}

inline std::vector<Finding> analyze_scheduling_policies(const Analyzed& analyzed) {
  const auto& policies = analyzed.objects.scheduling_policies;
  const Settings& settings = analyzed.settings;
  if (settings.policy_use == PolicyUse::every)
    return scheduling_policy::analyze(policies, settings.strategy, settings.options);
  const auto grantees = grantees_of(analyzed);
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
  auto findings = pod_scheduling_policy::analyze(analyzed.objects.pod_scheduling_policies);
  schedpol::detail::Budget budget;
  GivenUnpermittedAnalysis given(budget);
  given.look_at(analyzed.objects.pod_scheduling_policies, analyzed.objects.scheduling_policies,
                analyzed.settings);
  auto more = std::move(given).take();
  std::move(more.begin(), more.end(), std::back_inserter(findings));
  return findings;
}
inline std::vector<Finding> analyze_resource_policies(const Analyzed& analyzed) {
  return resource_policy::analyze(analyzed.objects.resource_policies);
}

/// What the analysis of each system finds.
inline std::vector<Finding> findings_of(System system, const Analyzed& analyzed) {
  switch (system) {
    case System::runtime_class: return analyze_runtime_classes(analyzed);
    case System::metadata_policy: return analyze_metadata_policies(analyzed);
    case System::pod_scheduling_policy: return analyze_pod_scheduling_policies(analyzed);
    case System::scheduling_policy: return analyze_scheduling_policies(analyzed);
    case System::resource_policy: return analyze_resource_policies(analyzed);
    case System::none: break;
  }
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
