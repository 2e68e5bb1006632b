// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/insight/impl/analyses.hpp>

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

/// What findings call the objects.
inline std::set<std::string, std::less<>> names_in(const Objects& objects) {
  std::set<std::string, std::less<>> names;
  for_each_list(objects, [&](const auto& list, ObjectKinds kinds) {
    for (const auto& object : list) {
      const ObjectName name = name_of(kind_of(object, kinds), object.metadata);
      names.insert(name.namespace_.empty() ? name.name : name.namespace_ + '/' + name.name);
    }
  });
  return names;
}

/// Leaves out the objects of namespaces that none of `written` is in, unless one of those is of the
/// cluster: they have nothing in common.
inline void keep_neighbours(Objects& objects, const Objects& written) {
  std::set<std::string, std::less<>> namespaces;
  bool of_cluster = false;
  for_each_list(written, [&](const auto& list, ObjectKinds kinds) {
    for (const auto& object : list) {
      of_cluster = of_cluster || kind_of(object, kinds).scope == Scope::cluster;
      namespaces.insert(object.metadata.namespace_);
    }
  });
  if (of_cluster) return;
  for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
    std::erase_if(list, [&](const auto& object) {
      return kind_of(object, kinds).scope == Scope::namespace_ &&
             !namespaces.contains(object.metadata.namespace_);
    });
  });
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
    auto found = detail::findings_of(row, {changes.usable, configuration.settings, nodes, nullptr});
    std::move(found.begin(), found.end(), std::back_inserter(all));
  }
  return all;
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written) {
  std::vector<SystemFinding> all;
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr) return all;
  const std::set<std::string, std::less<>> names = detail::names_in(written);
  const detail::ObjectChanges changes = detail::changes_to(written);
  for (const detail::Row& row : detail::rows()) {
    const detail::Running& before = impl->systems[static_cast<std::size_t>(row.system)];
    if (!before->concerns(written)) continue;
    Objects objects;
    before->with(changes)->collect(objects);
    detail::keep_neighbours(objects, written);
    const detail::Analyzed analyzed{objects, impl->settings, {}, &names};
    for (SystemFinding& found : detail::findings_of(row, analyzed)) {
      const auto is_written = [&](const std::string& policy) { return names.contains(policy); };
      const Names& policies = found.finding.policies;
      if (std::any_of(policies.begin(), policies.end(), is_written))
        all.push_back(std::move(found));
    }
  }
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
