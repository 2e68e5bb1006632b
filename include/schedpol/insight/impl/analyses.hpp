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

/// What is analyzed of a system: objects that can be used, what is told besides, the nodes of the
/// cluster, and where only what is about some of the objects matters, what those are called.
struct Analyzed {
  const Objects& objects;
  const Settings& settings;
  std::span<const Node> nodes;
  const std::set<std::string, std::less<>>* written = nullptr;
};

/// Whether something that a pod has is permitted by nobody; otherwise it lacks something.
inline bool is_lack_of_permission(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::scheduler_name_not_allowed:
    case ViolationCode::node_name_not_allowed:
    case ViolationCode::node_selector_not_allowed:
    case ViolationCode::toleration_not_allowed:
    case ViolationCode::affinity_not_allowed: return true;
    default: return false;
  }
}

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
/// A place of a pod's spec as one of a policy's.
inline FieldPath below_spec(const FieldPath& field) {
  FieldPath below;
  const auto steps = field.steps();
  for (std::size_t i = 1; i < steps.size(); ++i) {
    switch (steps[i].kind) {
      case FieldPath::Step::Kind::field: below = std::move(below).child(steps[i].name); break;
      case FieldPath::Step::Kind::key: below = std::move(below).key(steps[i].name); break;
      case FieldPath::Step::Kind::index: below = std::move(below).index(steps[i].index); break;
    }
  }
  return below;
}

/// What policies of the cluster give to pods that no SchedulingPolicy permits, nor all of them
/// together. Nothing where there are none, so that nobody has to permit anything.
inline std::vector<Finding> given_unpermitted(const Analyzed& analyzed) {
  std::vector<Finding> findings;
  if (analyzed.objects.scheduling_policies.empty()) return findings;
  const EffectivePolicy effective =
      merge(analyzed.objects.scheduling_policies, analyzed.settings.strategy);
  for (const auto& policy : analyzed.objects.pod_scheduling_policies) {
    if (policy.kind != pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy) continue;
    Pod pod;
    pod.spec.scheduler_name = policy.spec.scheduler_name;
    pod.spec.node_name = policy.spec.node_name;
    pod.spec.node_selector = policy.spec.node_selector;
    pod.spec.tolerations = policy.spec.tolerations;
    pod.spec.affinity = policy.spec.affinity;
    for (Violation& violation : check(pod, effective, analyzed.settings.options)) {
      if (!is_lack_of_permission(violation.code)) continue;
      if (violation.code == ViolationCode::scheduler_name_not_allowed &&
          policy.spec.scheduler_name.empty())
        continue;
      findings.push_back({.code = FindingCode::given_unpermitted,
                          .severity = Severity::info,
                          .policies = {policy.metadata.name},
                          .field = below_spec(violation.field),
                          .detail = std::move(violation.value)});
    }
  }
  return findings;
}

inline std::vector<Finding> analyze_pod_scheduling_policies(const Analyzed& analyzed) {
  auto findings = pod_scheduling_policy::analyze(analyzed.objects.pod_scheduling_policies);
  auto given = given_unpermitted(analyzed);
  std::move(given.begin(), given.end(), std::back_inserter(findings));
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
