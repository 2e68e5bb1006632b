// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a Cluster keeps: the nodes, those of every unit, the bound pods and their counts.

#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_set.hpp>
#include <schedpol/core/node_table.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>
#include <schedpol/resource_policy/impl/counted_pods.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

[[nodiscard]] inline bool is_same(const PodName& a, const PodName& b) noexcept {
  return a.name == b.name &&
         namespace_or_default(a.namespace_) == namespace_or_default(b.namespace_);
}

}  // namespace detail

struct Cluster::Impl {
  Impl(Shared<CompiledPolicies::Impl> from, std::span<const Node> nodes)
      : compiled(std::move(from)) {
    for (const auto& policy : policies()) {
      counts.emplace_back(policy.units.size());
      requests.emplace_back(policy.limits.size());
    }
    for (const Node& node : nodes) put_into_table(node);
    for (const LabelMatcher& selector : compiled->node_selectors)
      selected.push_back(table.matching(selector));
  }

  [[nodiscard]] const std::vector<detail::CompiledPolicy>& policies() const noexcept {
    return compiled->policies;
  }

  [[nodiscard]] const NodeSet& nodes_of(const detail::CompiledUnit& unit) const noexcept {
    return selected[unit.nodes];
  }

  /// What calls its argument with each unit of a policy that a node is in, in their order.
  [[nodiscard]] auto units_of(std::size_t policy, std::size_t node) const noexcept {
    return [this, &of = policies()[policy], node](auto use) {
      for (std::size_t unit = 0; unit < of.units.size(); ++unit) {
        if (nodes_of(of.units[unit]).contains(node)) use(unit);
      }
    };
  }

  /// Of the units that a node is in that of the highest score, of equals the first.
  [[nodiscard]] std::optional<std::size_t> best_unit(std::size_t policy,
                                                     std::size_t node) const noexcept {
    const std::vector<detail::CompiledUnit>& units = policies()[policy].units;
    std::optional<std::size_t> best;
    units_of(policy, node)([&](std::size_t unit) {
      if (!best || units[unit].score > units[*best].score) best = unit;
    });
    return best;
  }

  /// The slot of a name, made where there is none.
  std::size_t slot_of(std::string_view name) {
    const auto found = slot_by_name.find(name);
    if (found != slot_by_name.end()) return found->second;
    const std::size_t slot = slots.add({.name = std::string(name)});
    slot_by_name.emplace(name, slot);
    return slot;
  }

  /// Forgets a slot where nothing is.
  void tidy(std::size_t slot) {
    if (slots[slot].node || !slots[slot].pods.empty()) return;
    slot_by_name.erase(slots[slot].name);
    slots.remove(slot);
  }

  std::size_t put_into_table(const Node& node) {
    std::optional<std::size_t>& number = slots[slot_of(node.metadata.name)].node;
    if (number) {
      table.replace(*number, node);
    } else {
      number = table.add(node);
    }
    return *number;
  }

  void add_node(const Node& node) {
    const std::size_t slot = slot_of(node.metadata.name);
    count_pods(slot, -1);
    const std::size_t number = put_into_table(node);
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (compiled->node_selectors[i].matches(node.metadata.labels)) {
        selected[i].insert(number);
      } else {
        selected[i].erase(number);
      }
    }
    count_pods(slot, 1);
    hold_also(number);
    ++changes;
  }

  void remove_node(std::string_view name) {
    const auto found = slot_by_name.find(name);
    if (found == slot_by_name.end() || !slots[found->second].node) return;
    const std::size_t slot = found->second;
    const std::size_t number = *slots[slot].node;
    count_pods(slot, -1);
    table.remove(number);
    for (NodeSet& nodes : selected) nodes.erase(number);
    slots[slot].node.reset();
    tidy(slot);
    ++changes;
  }

  /// Counts the pods of a slot so many times more, where there is a node.
  void count_pods(std::size_t slot, std::int64_t times) {
    for (const std::size_t pod : slots[slot].pods) count(pod, times);
  }

  void count(std::size_t number, std::int64_t times) {
    const detail::CountedPod& pod = pods[number];
    const std::optional<std::size_t>& node = slots[pod.slot].node;
    if (!node) return;
    ++changes;
    for (const detail::CountedBy& by : pod.counting.by)
      count_on(by, times, requests_of(pod), units_of(by.policy, *node));
  }

  /// Counts a pod so many times more on each unit that `for_each_unit` calls its argument with.
  template <class ForEachUnit>
  void count_on(const detail::CountedBy& by, std::int64_t times, const Resources& requested,
                ForEachUnit for_each_unit) {
    counts[by.policy].add(
        by.group, [&](auto use) { for_each_unit([&](std::size_t unit) { use(unit, times); }); });
    if (policies()[by.policy].limits.empty()) return;
    requests[by.policy].add(by.group, [&](auto use) {
      for_each_request(by.policy, requested, for_each_unit,
                       [&](std::size_t limit, std::int64_t amount) { use(limit, times * amount); });
    });
  }

  /// Calls `use` with each limit of those units, and what is requested of it, where it is something.
  template <class ForEachUnit, class Use>
  void for_each_request(std::size_t policy, const Resources& requested, ForEachUnit for_each_unit,
                        Use use) const {
    const detail::CompiledPolicy& of = policies()[policy];
    for_each_unit([&](std::size_t unit) {
      of.for_each_limit(unit, [&](std::size_t limit) {
        const std::int64_t amount =
            schedpol::detail::amount_of(requested, of.resources[of.limits[limit].resource]);
        if (amount != 0) use(limit, amount);
      });
    });
  }

  /// Nothing where no policy that counts the pod limits resources.
  [[nodiscard]] static const Resources& requests_of(const detail::CountedPod& pod) noexcept {
    static const Resources nothing;
    return pod.requests ? *pod.requests : nothing;
  }

  /// Of the policy, as rule 2 counts for this pod: itself is left out.
  [[nodiscard]] std::vector<std::int64_t> counts_for(const Pod& pod, std::size_t policy) const {
    const detail::Group group(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<std::int64_t> seen = saturated(counts[policy].seen_by(group));
    leave_out({pod.metadata.namespace_, pod.metadata.name}, policy, group, seen);
    return seen;
  }

  /// The same of what those pods request, by limit of the policy; others are left out, too.
  [[nodiscard]] std::vector<std::int64_t> requests_for(const Pod& pod, std::size_t policy,
                                                       std::span<const PodName> gone) const {
    const detail::Group group(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<detail::WideSum> seen = requests[policy].seen_by(group);
    const PodName itself{pod.metadata.namespace_, pod.metadata.name};
    const auto leave = [&](const PodName& name) {
      for_each_counted(name, policy, group, [&](const Resources& requested, auto for_each_unit) {
        for_each_request(policy, requested, for_each_unit,
                         [&](std::size_t limit, std::int64_t amount) { seen[limit] += -amount; });
      });
    };
    leave(itself);
    for (const PodName& name : gone)
      if (!detail::is_same(name, itself)) leave(name);
    return saturated(seen);
  }

  /// Takes a pod out of what the policy counts for a pod of that group.
  void leave_out(PodName name, std::size_t policy, const detail::Group& group,
                 std::vector<std::int64_t>& seen) const {
    for_each_counted(name, policy, group, [&](const Resources&, auto for_each_unit) {
      for_each_unit([&](std::size_t unit) { --seen[unit]; });
    });
  }

  /// Calls `use` with what a pod requests and with what calls its argument with each unit on which the
  /// policy counts it for a pod of that group: where it is bound, and where it is reserved.
  template <class Use>
  void for_each_counted(PodName name, std::size_t policy, const detail::Group& group,
                        Use use) const {
    const auto leave = [&](const detail::CountedBy& by, const Resources& requested,
                           auto for_each_unit) {
      if (by.policy != policy || !group.counts(by.group)) return;
      use(requested, for_each_unit);
    };
    if (const auto found = bound.find(name); found != bound.end()) {
      const detail::CountedPod& pod = pods[found->second];
      if (const std::optional<std::size_t>& node = slots[pod.slot].node) {
        for (const detail::CountedBy& by : pod.counting.by)
          leave(by, requests_of(pod), units_of(policy, *node));
      }
    }
    if (const auto found = reserved.find(name); found != reserved.end()) {
      const detail::CountedPod& pod = pods[found->second];
      for (std::size_t i = 0; i < pod.counting.by.size(); ++i)
        leave(pod.counting.by[i], requests_of(pod), detail::each_of(pod.units[i]));
    }
  }

  /// `requested` is what the pod requests; null: what its spec says.
  [[nodiscard]] detail::CountedPod counted_pod(const Pod& pod, const Resources* requested) const {
    detail::CountedPod made;
    made.counting = counting(pod);
    if (made.counting.are_limited)
      made.requests = Shared(requested == nullptr ? schedpol::requests(pod.spec) : *requested);
    return made;
  }

  [[nodiscard]] detail::Counting counting(const Pod& pod) const {
    detail::Counting made;
    compiled->for_each_selecting(pod, [&](std::size_t i) {
      ++made.selecting;
      made.policy = i;
      const detail::CompiledPolicy& policy = policies()[i];
      if (policy.units.empty()) return;
      if (policy.ignores_terminating_pods && !pod.metadata.deletion_timestamp.empty()) return;
      made.by.push_back({i, detail::Group(pod.metadata.labels, policy.match_label_keys)});
      made.are_limited |= !policy.limits.empty();
    });
    return made;
  }

  /// `requested` as for `counted_pod`.
  void bind(const Pod& pod, std::string_view node, const Resources* requested = nullptr) {
    unbind({pod.metadata.namespace_, pod.metadata.name});
    if (node.empty() || pod.metadata.name.empty() || is_terminal(pod)) return;
    detail::CountedPod made = counted_pod(pod, requested);
    made.slot = slot_of(node);
    std::vector<std::size_t>& neighbours = slots[made.slot].pods;
    made.at = neighbours.size();
    const std::size_t number = pods.add(std::move(made));
    neighbours.push_back(number);
    count(number, 1);
    bound.emplace(detail::PodKey{pod.metadata.namespace_, pod.metadata.name}, number);
  }

  void unbind(PodName name) {
    const auto found = bound.find(name);
    if (found == bound.end()) return;
    const detail::CountedPod& pod = pods[found->second];
    const std::size_t slot = pod.slot;
    count(found->second, -1);
    std::vector<std::size_t>& neighbours = slots[slot].pods;
    neighbours[pod.at] = neighbours.back();
    pods[neighbours.back()].at = pod.at;
    neighbours.pop_back();
    pods.remove(found->second);
    bound.erase(found);
    tidy(slot);
  }

  /// `requested` as for `counted_pod`.
  void reserve(const Pod& pod, const NodeSet& nodes, const Resources* requested = nullptr) {
    unreserve({pod.metadata.namespace_, pod.metadata.name});
    detail::CountedPod made = counted_pod(pod, requested);
    made.nodes = nodes;
    NodeSet both;  // once, so that its memory serves all units
    for (const detail::CountedBy& by : made.counting.by) {
      detail::UnitSet& units = made.units.emplace_back();
      const std::vector<detail::CompiledUnit>& all = policies()[by.policy].units;
      for (std::size_t unit = 0; unit < all.size(); ++unit) {
        both = nodes;
        both &= nodes_of(all[unit]);
        units[unit] = !both.empty();
      }
      count_on(by, 1, requests_of(made), detail::each_of(units));
    }
    ++changes;
    const std::size_t number = pods.add(std::move(made));
    reserved.emplace(detail::PodKey{pod.metadata.namespace_, pod.metadata.name}, number);
  }

  void unreserve(PodName name) {
    const auto found = reserved.find(name);
    if (found == reserved.end()) return;
    const detail::CountedPod& pod = pods[found->second];
    for (std::size_t i = 0; i < pod.counting.by.size(); ++i) {
      const detail::CountedBy& by = pod.counting.by[i];
      count_on(by, -1, requests_of(pod), detail::each_of(pod.units[i]));
    }
    ++changes;
    pods.remove(found->second);
    reserved.erase(found);
  }

  /// The pods with a place reserved on a node count on the units that it is in now, too.
  void hold_also(std::size_t node) {
    for (const auto& [name, number] : reserved) {
      detail::CountedPod& pod = pods[number];
      if (!pod.nodes.contains(node)) continue;
      for (std::size_t i = 0; i < pod.counting.by.size(); ++i) {
        const detail::CountedBy& by = pod.counting.by[i];
        detail::UnitSet added;
        units_of(by.policy, node)([&](std::size_t unit) { added[unit] = !pod.units[i][unit]; });
        pod.units[i] |= added;
        count_on(by, 1, requests_of(pod), detail::each_of(added));
      }
    }
  }

  Shared<CompiledPolicies::Impl> compiled;
  NodeTable table;
  std::vector<NodeSet> selected;            ///< by node selector
  std::vector<detail::GroupSums> counts;    ///< by policy: pods by unit
  std::vector<detail::GroupSums> requests;  ///< by policy: what they request by limit of a unit
  std::map<std::string, std::size_t, std::less<>> slot_by_name;
  detail::Slots<detail::PodSlot> slots;
  detail::ByPod<std::size_t> bound;
  detail::ByPod<std::size_t> reserved;
  detail::Slots<detail::CountedPod> pods;  ///< bound ones and reserved ones
  std::uint64_t changes = 0;               ///< of what prefilters rest on
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
