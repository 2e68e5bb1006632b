// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/runtime_class/supports.hpp>
#include <schedpol/runtime_class/validate.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                             std::span<const Node> nodes) {
  if (nodes.empty()) return {};
  std::vector<const RuntimeClass*> sorted;
  for (const RuntimeClass& each : classes)
    if (each.scheduling && validate(each).empty()) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    return a->metadata.name < b->metadata.name;
  });
  schedpol::detail::Budget budget;
  schedpol::detail::Analysis analysis(budget);
  const auto may_serve = [&](const RuntimeClass& runtime_class, const Node& node) {
    return !budget.spend(2 + 5 * runtime_class.scheduling->node_selector.size()) ||
           supports(runtime_class, node).supported;
  };
  analysis.look_for(FindingCode::no_node_serves, [&] {
    for (const RuntimeClass* each : sorted)
      if (schedpol::detail::none_of(nodes,
                                    [&](const Node& node) { return may_serve(*each, node); }))
        analysis.add({.code = FindingCode::no_node_serves,
                      .severity = Severity::warning,
                      .policies = {each->metadata.name},
                      .field = FieldPath{"scheduling", "nodeSelector"}});
  });
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
