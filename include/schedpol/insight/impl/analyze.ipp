// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impl/analyses.hpp>
#include <schedpol/insight/impl/written_analysis.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline std::vector<SystemFinding> findings_of(const Row& row, const Analyzed& analyzed) {
  std::vector<SystemFinding> all;
  for (Finding& finding : findings_of(row.system, analyzed))
    all.push_back({row.system, std::move(finding)});
  return all;
}

}  // namespace detail

SCHEDPOL_INLINE std::string message(const SystemFinding& finding) {
  return std::string(to_string(finding.system)) + ": " + message(finding.finding);
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                   std::span<const Node> nodes) {
  const detail::ObjectChanges changes = detail::changes_to(configuration.objects);
  std::vector<SystemFinding> all;
  for (const detail::Row& row : detail::rows()) {
    auto found = detail::findings_of(row, {changes.usable, configuration.settings, nodes});
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written) {
  std::vector<SystemFinding> all;
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr) return all;
  const Objects usable = detail::changes_to(written).usable;
  for (const detail::Row& row : detail::rows()) {
    if (!impl->running(row.system).concerns(usable)) continue;
    for (Finding& finding : detail::WrittenAnalysis(*impl, usable).run(row.system))
      all.push_back({row.system, std::move(finding)});
  }
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
