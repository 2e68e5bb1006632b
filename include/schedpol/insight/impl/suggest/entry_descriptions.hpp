// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Why each entry of the suggested policies is there, and what it opens.

#include <schedpol/insight/impl/suggest/need_search.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class EntryDescriptions {
 public:
  EntryDescriptions(const NeededPermissions& needed, std::span<const RunningObject> objects,
                    const SuggestOptions& options, Budget& budget)
      : needed_(needed),
        objects_(objects),
        nodes_(options.nodes),
        budget_(budget),
        needing_(needed.entries.size()) {
    for (const Node& node : nodes_) steps_of_nodes_ += steps_of_node + node.spec.taints.size();
    for (std::size_t i = 0; i < needed.objects.size(); ++i)
      for (const std::size_t entry : needed.objects[i].needs) needing_[entry].push_back(i);
    for (const RunningObject& object : objects) {
      if (!object.priority) continue;
      pods_by_priority_[object.priority->value] += object.pods;
      pods_with_priority_ += object.pods;
      const std::string& name = object.request.object.spec.priority_class_name;
      if (object.priority->preempts) priorities_.insert_or_assign(name, object.priority->value);
    }
  }

  [[nodiscard]] std::vector<SuggestedEntry> of(
      const std::vector<SchedulingPolicy>& policies) const {
    std::vector<SuggestedEntry> all;
    for (const SchedulingPolicy& policy : policies) {
      scheduling_policy::detail::for_each_allowed_entry(
          policy.spec.allowed,
          [&](const FieldPath& place, std::string value, const PolicySection& alone) {
            SuggestedEntry entry{.policy = policy.metadata.name, .entry = place, .value = value};
            if (const auto number =
                    needed_.entries.find({place.without_indices(), std::move(value)}))
              count(entry, *number);
            describe(entry, alone);
            all.push_back(std::move(entry));
          });
    }
    return all;
  }

 private:
  void count(SuggestedEntry& entry, std::size_t number) const {
    std::set<std::size_t> accounts;
    const Owner* first = nullptr;
    for (const std::size_t i : needing_[number]) {
      const JudgedObject& object = needed_.objects[i];
      const RunningObject& running = objects_[object.place];
      entry.pods += running.pods;
      entry.others += running.pods == 0 && running.heard == 0 ? 1 : 0;
      entry.heard += running.heard;
      accounts.insert(object.account);
      if (first == nullptr || order_of(running.owner) < order_of(*first)) first = &running.owner;
    }
    entry.accounts = accounts.size();
    if (first != nullptr) entry.example = *first;
  }

  void describe(SuggestedEntry& entry, const PolicySection& alone) const {
    if (!budget_.spend(steps_of_nodes_ + pods_by_priority_.size())) return;
    for (const std::string& name : alone.priority_class_names.listed()) {
      const auto found = priorities_.find(name);
      if (found == priorities_.end()) continue;
      OpenedCount& preempted = entry.preempted.emplace();
      preempted.all = pods_with_priority_;
      for (const auto& [priority, pods] : pods_by_priority_)
        if (priority < found->second) preempted.count += pods;
    }
    if (alone.scheduler_names.is_any()) count_nodes(entry, [](const Node&) { return true; });
    for (const auto& [key, values] : alone.node_selectors.listed()) {
      count_nodes(entry, [&, &key = key, &values = values](const Node& node) {
        const std::string* const value = find_label(node.metadata.labels, key);
        return value != nullptr && (values.is_any() || values.listed().contains(*value));
      });
    }
    for (const scheduling_policy::TolerationPattern& pattern : alone.tolerations.listed())
      count_nodes(entry, [&](const Node& node) { return has_tolerated_taint(node, pattern); });
    const auto& modes = alone.affinities.listed().node_affinities.listed();
    for (const auto* mode : {&modes.required_during_scheduling_ignored_during_execution,
                             &modes.preferred_during_scheduling_ignored_during_execution})
      for (const scheduling_policy::TermPattern& term : mode->listed().node_selector_terms)
        count_matching_nodes(entry, term);
  }

  template <class Predicate>
  void count_nodes(SuggestedEntry& entry, Predicate&& is_opened) const {
    if (nodes_.empty()) return;
    entry.nodes = {static_cast<std::size_t>(std::count_if(nodes_.begin(), nodes_.end(), is_opened)),
                   nodes_.size()};
  }

  /// Whether some toleration that a pattern matches tolerates a taint of the node.
  static bool has_tolerated_taint(const Node& node,
                                  const scheduling_policy::TolerationPattern& pattern) {
    Toleration toleration{.operator_ = TolerationOperator::exists};
    if (pattern.keys.is_listed()) toleration.key = pattern.keys.listed().front();
    if (pattern.values.is_listed()) {
      toleration.operator_ = pattern.operators.listed().front();
      toleration.value = pattern.values.listed().front();
    } else if (pattern.values.is_absent()) {
      toleration.operator_ = pattern.operators.listed().front();
    }
    if (pattern.effects.is_listed()) toleration.effect = pattern.effects.listed().front();
    return schedpol::detail::any_of(
        node.spec.taints, [&](const Taint& taint) { return tolerates(toleration, taint); });
  }

  /// Of values that may be any, those nodes that have the key.
  void count_matching_nodes(SuggestedEntry& entry,
                            const scheduling_policy::TermPattern& pattern) const {
    NodeSelectorTerm term;
    const auto add = [](std::vector<NodeSelectorRequirement>& to, const auto& patterns) {
      for (const scheduling_policy::RequirementPattern& each : patterns.listed()) {
        NodeSelectorRequirement requirement{.key = each.keys.listed().front(),
                                            .operator_ = each.operators.listed().front(),
                                            .values = each.values.listed()};
        if (each.values.is_any()) requirement.operator_ = NodeSelectorOperator::exists;
        to.push_back(std::move(requirement));
      }
    };
    add(term.match_expressions, pattern.match_expressions);
    const bool is_any_name = schedpol::detail::any_of(
        pattern.match_fields.listed(), [](const auto& each) { return each.values.is_any(); });
    if (!is_any_name) add(term.match_fields, pattern.match_fields);
    if (is_any_name) return count_nodes(entry, [](const Node&) { return true; });
    const NodeTermsMatcher matcher(std::span(&term, 1));
    count_nodes(entry, [&](const Node& node) { return matcher.matches(node); });
  }

  static constexpr std::size_t steps_of_node = 4;

  const NeededPermissions& needed_;
  std::span<const RunningObject> objects_;
  const std::vector<Node>& nodes_;
  Budget& budget_;
  std::size_t steps_of_nodes_ = 0;
  std::vector<std::vector<std::size_t>> needing_;  ///< the objects that need each entry
  std::map<std::int32_t, std::size_t> pods_by_priority_;
  std::size_t pods_with_priority_ = 0;
  std::map<std::string, std::int32_t> priorities_;  ///< of the classes that pods have
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
