// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impl/systems/metadata_policy.hpp>
#include <schedpol/insight/impl/systems/pod_scheduling_policy.hpp>
#include <schedpol/insight/impl/systems/resource_policy.hpp>
#include <schedpol/insight/impl/systems/runtime_class.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What is found of a system's objects.
struct AnalysisRow {
  System system = System::none;
  /// Of all that can be used.
  std::vector<Finding> (*analyze)(const Objects& objects, const Settings& settings,
                                  std::span<const Node> nodes) = nullptr;
  std::vector<Finding> (*analyze_changed)(ChangedPolicies& changed) = nullptr;
  std::size_t (*texts)(const Objects& written) = nullptr;  ///< how large its objects are
};

inline constexpr std::array<AnalysisRow, std::size(all_systems)> analyses = {{
    {System::runtime_class, analyze_runtime_classes, analyze_changed_runtime_classes,
     runtime_class_texts},
    {System::metadata_policy, analyze_metadata_policies, analyze_changed_metadata_policies,
     metadata_policy_texts},
    {System::pod_scheduling_policy, analyze_pod_scheduling_policies,
     analyze_changed_pod_scheduling_policies, pod_scheduling_policy_texts},
    {System::scheduling_policy, analyze_scheduling_policies, analyze_changed_scheduling_policies,
     scheduling_policy_texts},
    {System::resource_policy, analyze_resource_policies, analyze_changed_resource_policies,
     resource_policy_texts},
}};
constexpr bool analyses_are_whole() noexcept {
  for (std::size_t i = 0; i < analyses.size(); ++i)
    if (analyses[i].system != all_systems[i] || analyses[i].texts == nullptr) return false;
  return true;
}
static_assert(analyses_are_whole(), "a whole row each, in the order of the enumeration");

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
  for (const detail::AnalysisRow& row : detail::analyses) {
    add(row.system, row.analyze(usable, configuration.settings, nodes));
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
  std::size_t texts = 0;
  for (const detail::AnalysisRow& row : detail::analyses) texts += row.texts(usable);
  for (const detail::AnalysisRow& row : detail::analyses) {
    if (!impl->compiled(row.system).concerns(usable)) continue;
    detail::ChangedPolicies changed(*impl, usable, texts);
    for (Finding& finding : row.analyze_changed(changed))
      all.push_back({row.system, std::move(finding)});
  }
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
