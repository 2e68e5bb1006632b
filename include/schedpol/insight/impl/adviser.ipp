// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impl/pod_fixer.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline const SchedulingPolicySystem& scheduling_policy_system(const EngineAccess::Impl& engine) {
  return static_cast<const SchedulingPolicySystem&>(engine.compiled(System::scheduling_policy));
}

/// What a user has to write for SchedulingPolicy to allow a pod, where that is soon found.
inline std::optional<scheduling_policy::Fix> scheduling_policy_fix(const EngineAccess::Impl& engine,
                                                                   const Pod& pod) {
  const SchedulingPolicySystem& system = scheduling_policy_system(engine);
  const auto options = system.options_for(pod, engine.context_of(PodCreator::user));
  schedpol::detail::Budget budget(max_denial_fix_steps);
  return scheduling_policy::detail::PodFixer(pod, system.effective_policy(pod), *options, budget)
      .run();
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> InsightAdviser::fix_of(const Engine& engine,
                                                           const Request& request,
                                                           const Decision& denial) {
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr || denial.allowed || denial.steps.empty() ||
      denial.steps.back().step.system != System::scheduling_policy ||
      request.operation != Operation::create ||
      request.requester.name == engine.daemon_set_controller())
    return {};
  auto fix = detail::scheduling_policy_fix(*impl, request.object);
  if (!fix) return {};
  // What another system makes of it may be denied all the same.
  Request fixed = request;
  fixed.object = std::move(fix->pod);
  return engine.decide(fixed).allowed ? std::move(fix->changes) : std::vector<Change>();
}

SCHEDPOL_INLINE scheduling_policy::Explanation InsightAdviser::explain(const Engine& engine,
                                                                       const Pod& pod) const {
  if (!engine.runs(System::scheduling_policy)) return {};
  const auto& impl = *EngineAccess::of(engine);
  const auto& system = detail::scheduling_policy_system(impl);
  return scheduling_policy::explain(
      pod, system.effective_policy(pod),
      *system.options_for(pod, impl.context_of(detail::PodCreator::user)));
}

SCHEDPOL_INLINE std::vector<std::string> InsightAdviser::warnings_of(const Engine& engine,
                                                                     const Objects& written) {
  std::vector<std::string> warnings;
  std::vector<std::string> not_decided;
  std::size_t more = 0;
  for (const SystemFinding& found : analyze(engine, written)) {
    if (found.finding.code == FindingCode::not_decided) not_decided.push_back(message(found));
    if (found.finding.severity == Severity::info) continue;
    if (warnings.size() < max_finding_warnings) {
      warnings.push_back(message(found));
    } else {
      ++more;
    }
  }
  if (more > 0) warnings.push_back("and " + std::to_string(more) + " more");
  schedpol::detail::append(warnings, std::move(not_decided));
  return warnings;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
