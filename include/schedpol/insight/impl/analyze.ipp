// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/impl/changed_policy_analysis.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Each set of policies that somebody may use, and one of those who may use it.
inline std::vector<scheduling_policy::Grantee> find_grantees(const Objects& objects,
                                                             const Settings& settings) {
  std::set<std::string_view> names;
  for (const auto& policy : objects.scheduling_policies) names.insert(policy.metadata.name);
  GrantTable table(settings);
  table.change(objects.rbac, objects.rbac);
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

inline std::vector<Finding> analyze_scheduling_policies(const Objects& objects,
                                                        const Settings& settings) {
  const auto& policies = objects.scheduling_policies;
  std::vector<Finding> findings;
  if (settings.policy_use == PolicyUse::every) {
    findings = scheduling_policy::analyze(policies, settings.strategy, settings.options);
  } else {
    findings = scheduling_policy::analyze(policies, find_grantees(objects, settings),
                                          settings.strategy, settings.options);
    append(findings, rbac::analyze(objects.rbac, access_of(settings)));
  }
  Budget budget;
  append(findings, contradicted_defaults(objects, settings, budget));
  return findings;
}

inline std::vector<Finding> analyze_pod_scheduling_policies(const Objects& objects,
                                                            const Settings& settings) {
  const auto& policies = objects.pod_scheduling_policies;
  std::vector<Finding> findings = pod_scheduling_policy::analyze(policies);
  Budget budget;
  append(findings, injected_not_permitted(policies, objects.scheduling_policies, settings, budget));
  return findings;
}

/// What the analysis of a system finds of objects that can be used.
inline std::vector<Finding> findings_of(System system, const Objects& objects,
                                        const Settings& settings, std::span<const Node> nodes) {
  switch (system) {
    case System::runtime_class: return runtime_class::analyze(objects.runtime_classes, nodes);
    case System::metadata_policy: return metadata_policy::analyze(objects.metadata_policies);
    case System::pod_scheduling_policy: return analyze_pod_scheduling_policies(objects, settings);
    case System::scheduling_policy: return analyze_scheduling_policies(objects, settings);
    case System::resource_policy: return resource_policy::analyze(objects.resource_policies);
    case System::none: break;
  }
  return {};
}

/// The systems that add to pods what SchedulingPolicy in front of them misses.
inline std::vector<Finding> analyze_order(const std::vector<Step>& steps) {
  std::vector<Finding> findings;
  bool decided = false;
  for (const Step& step : steps) {
    if (step.mode != Mode::enforce) continue;
    decided |= step.system == System::scheduling_policy;
    if (decided &&
        (step.system == System::runtime_class || step.system == System::pod_scheduling_policy))
      findings.push_back({.code = FindingCode::decides_too_early,
                          .severity = Severity::warning,
                          .detail = std::string(to_string(step.system))});
  }
  return findings;
}

}  // namespace detail

SCHEDPOL_INLINE std::string message(const SystemFinding& finding) {
  return std::string(to_string(finding.system)) + ": " + message(finding.finding);
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                   std::span<const Node> nodes) {
  const Objects usable = detail::changes_to(configuration.objects).usable;
  std::vector<SystemFinding> all;
  const auto add = [&](System system, std::vector<Finding> findings) {
    for (Finding& finding : findings) all.push_back({system, std::move(finding)});
  };
  for (const detail::SystemRow& row : detail::system_rows()) {
    add(row.system, detail::findings_of(row.system, usable, configuration.settings, nodes));
    if (row.system == System::scheduling_policy)
      add(row.system, detail::analyze_order(configuration.systems));
  }
  return all;
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written) {
  std::vector<SystemFinding> all;
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr) return all;
  const Objects usable = detail::changes_to(written).usable;
  for (const detail::SystemRow& row : detail::system_rows()) {
    if (!impl->compiled(row.system).concerns(usable)) continue;
    for (Finding& finding : detail::ChangedPolicyAnalysis(*impl, usable).run(row.system))
      all.push_back({row.system, std::move(finding)});
  }
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
