// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/analyze.hpp>
#include <schedpol/runtime_class/supports.hpp>
#include <schedpol/runtime_class/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace schedpol::runtime_class {

namespace detail {

/// Nodes by each of their labels.
class LabelledNodes {
 public:
  explicit LabelledNodes(std::span<const Node> nodes) {
    for (const Node& node : nodes)
      for (const auto& [key, value] : node.metadata.labels) nodes_[{key, value}].push_back(&node);
  }

  enum class Served { yes, no, unknown };

  /// Looks at the nodes with the label of the class that the fewest have.
  Served serve(const RuntimeClass& runtime_class) {
    const std::vector<const Node*>* fewest = nullptr;
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const auto found = nodes_.find({key, value});
      if (found == nodes_.end()) return Served::no;
      if (fewest == nullptr || found->second.size() < fewest->size()) fewest = &found->second;
    }
    if (fewest == nullptr) return Served::yes;
    for (const Node* node : *fewest) {
      if (left_ == 0) return Served::unknown;
      --left_;
      if (supports(runtime_class, *node).supported) return Served::yes;
    }
    return Served::no;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::vector<const Node*>> nodes_;
  std::size_t left_ = max_compared;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                             std::span<const Node> nodes) {
  using Served = detail::LabelledNodes::Served;
  std::vector<Finding> findings;
  if (nodes.empty()) return findings;
  std::vector<const RuntimeClass*> sorted;
  for (const RuntimeClass& each : classes)
    if (each.scheduling && validate(each).empty()) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    return a->metadata.name < b->metadata.name;
  });
  detail::LabelledNodes labelled(nodes);
  bool decided = true;
  for (const RuntimeClass* each : sorted) {
    const Served served = labelled.serve(*each);
    decided = decided && served != Served::unknown;
    if (served != Served::no) continue;
    findings.push_back({.code = FindingCode::no_node_serves,
                        .severity = Severity::warning,
                        .policies = {each->metadata.name},
                        .field = FieldPath{"scheduling", "nodeSelector"}});
  }
  if (!decided) findings.push_back({});
  return findings;
}

}  // namespace schedpol::runtime_class
