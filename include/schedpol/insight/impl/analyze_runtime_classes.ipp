// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_runtime_classes.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/runtime_class/validate.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

using schedpol::detail::Budget;

/// Nodes by those of their labels that classes ask for. Nodes that are alike in them are looked at
/// once, and so are classes that ask for the same.
class LabelledNodes {
 public:
  LabelledNodes(std::span<const RuntimeClass* const> classes, std::span<const Node> nodes,
                Budget& budget)
      : budget_(budget) {
    for (const RuntimeClass* each : classes) {
      for (const auto& [key, value] : each->scheduling->node_selector)
        asked_.try_emplace({key, value}, asked_.size());
    }
    carriers_.resize(asked_.size());
    for (const Node& node : nodes) {
      Pairs carried;
      for (const auto& [key, value] : node.metadata.labels) {
        const auto found = asked_.find({key, value});
        if (found != asked_.end()) carried.push_back(found->second);
      }
      std::sort(carried.begin(), carried.end());
      const auto [at, is_new] = nodes_.insert(std::move(carried));
      if (!is_new) continue;
      for (const std::size_t pair : *at) carriers_[pair].push_back(&*at);
    }
  }

  /// Whether one serves one of the classes, or it takes more than is left to find out.
  bool may_serve(const RuntimeClass& runtime_class) {
    Pairs wanted;
    for (const auto& [key, value] : runtime_class.scheduling->node_selector)
      wanted.push_back(asked_.find({key, value})->second);
    std::sort(wanted.begin(), wanted.end());
    const auto [at, is_new] = served_.try_emplace(std::move(wanted), true);
    if (is_new) at->second = look_for(at->first);
    return at->second;
  }

 private:
  /// Pairs of key and value by number, ascending.
  using Pairs = std::vector<std::size_t>;

  /// Looks at the nodes with the pair that the fewest have.
  bool look_for(const Pairs& wanted) {
    if (wanted.empty()) return true;
    const std::size_t rarest = *std::min_element(
        wanted.begin(), wanted.end(),
        [&](std::size_t a, std::size_t b) { return carriers_[a].size() < carriers_[b].size(); });
    return schedpol::detail::any_of(carriers_[rarest], [&](const Pairs* carried) {
      const auto carries = [&](std::size_t pair) {
        return std::binary_search(carried->begin(), carried->end(), pair);
      };
      return !budget_.spend(1 + wanted.size()) || schedpol::detail::all_of(wanted, carries);
    });
  }

  Budget& budget_;

  std::map<std::pair<std::string_view, std::string_view>, std::size_t> asked_;
  std::set<Pairs> nodes_;
  std::vector<std::vector<const Pairs*>> carriers_;  ///< of each pair
  std::map<Pairs, bool> served_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                             std::span<const Node> nodes) {
  if (nodes.empty()) return {};
  std::vector<const RuntimeClass*> sorted;
  for (const RuntimeClass& each : classes)
    if (each.scheduling && validate(each).empty()) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    return a->metadata.name < b->metadata.name;
  });
  detail::Budget budget;
  schedpol::detail::Analysis analysis(budget);
  detail::LabelledNodes labelled(sorted, nodes, budget);
  analysis.look_for(FindingCode::no_node_serves, [&] {
    for (const RuntimeClass* each : sorted)
      if (!labelled.may_serve(*each))
        analysis.add({.code = FindingCode::no_node_serves,
                      .severity = Severity::warning,
                      .policies = {each->metadata.name},
                      .field = FieldPath{"scheduling", "nodeSelector"}});
  });
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
