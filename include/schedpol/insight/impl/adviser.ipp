// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/limits.hpp>
#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/finding.hpp>
#include <schedpol/insight/impl/fix_size.hpp>
#include <schedpol/insight/nearest_fix.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What a user has to write for SchedulingPolicy to allow a pod.
inline std::optional<scheduling_policy::Fix> scheduling_policy_fix(const EngineAccess::Impl& engine,
                                                                   const Pod& pod) {
  const auto& system =
      static_cast<const SchedulingPolicySystem&>(engine.running(System::scheduling_policy));
  const EffectivePolicy effective = system.effective_policy(pod);
  if (!scheduling_policy::detail::has_few_entries(effective.spec()) ||
      !scheduling_policy::detail::has_few_parts(pod.spec))
    return std::nullopt;
  return nearest_fix(pod, effective, *system.options_for(pod, engine.ask(PodCreator::user)));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> InsightAdviser::nearest_fix(const Engine& engine,
                                                                const Request& request,
                                                                const Decision& denial) const {
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

SCHEDPOL_INLINE std::vector<std::string> InsightAdviser::warnings(const Engine& engine,
                                                                  const Objects& written) const {
  std::vector<std::string> warnings;
  std::size_t more = 0;
  for (const SystemFinding& found : analyze(engine, written)) {
    if (found.finding.severity == Severity::info) continue;
    if (warnings.size() < max_finding_warnings) {
      warnings.push_back(message(found));
    } else {
      ++more;
    }
  }
  if (more > 0) warnings.push_back("and " + std::to_string(more) + " more");
  return warnings;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
