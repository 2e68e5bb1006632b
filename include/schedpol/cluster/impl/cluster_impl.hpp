// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The implementation of a Cluster: all nodes, the nodes of every unit, the bound pods and their counts.

#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/impl/counted_pods.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

struct Cluster::Impl {
  Impl(Shared<CompiledPolicies::Impl> from, std::span<const Node> nodes)
      : compiled(std::move(from)) {
    for (const auto& policy : policies())
      sums.emplace_back(policy.units.size() + policy.limits.size());
    for (const Node& node : nodes) put_into_table(node);
    for (std::size_t i = 0; i < compiled->node_selectors.size(); ++i)
      selected.push_back(table.matching(compiled->node_selectors[i]));
  }

  [[nodiscard]] const std::vector<detail::CompiledPolicy>& policies() const noexcept {
    return compiled->policies;
  }

  [[nodiscard]] const NodeSet& nodes_of(const detail::CompiledUnit& unit) const noexcept {
    return selected[unit.nodes];
  }

  [[nodiscard]] NodeSet nodes_in_units(std::size_t policy) const {
    NodeSet nodes;
    for (const detail::CompiledUnit& unit : policies()[policy].units) nodes |= nodes_of(unit);
    return nodes;
  }

  /// The units of a policy that a node is in.
  [[nodiscard]] detail::UnitSet units_of(std::size_t policy, std::size_t node) const noexcept {
    const std::vector<detail::CompiledUnit>& all = policies()[policy].units;
    detail::UnitSet units;
    for (std::size_t unit = 0; unit < all.size(); ++unit)
      units[unit] = nodes_of(all[unit]).contains(node);
    return units;
  }

  /// Of the units that a node is in that of the highest score, of equals the first.
  [[nodiscard]] std::optional<std::size_t> best_unit(std::size_t policy,
                                                     std::size_t node) const noexcept {
    const detail::CompiledPolicy& of = policies()[policy];
    for (const std::size_t unit : of.best_first)
      if (nodes_of(of.units[unit]).contains(node)) return unit;
    return std::nullopt;
  }

  /// Forgets a slot where nothing is.
  void tidy(std::size_t slot) {
    if (!slots[slot].node && slots[slot].pods.empty()) slots.remove(slot);
  }

  std::size_t put_into_table(const Node& node) {
    std::optional<std::size_t>& number = slots[slots.find_or_add(node.metadata.name)].node;
    if (number) {
      table.replace(*number, node);
    } else {
      number = table.add(node);
    }
    return *number;
  }

  /// Counts the pods of a slot so many times more, where there is a node.
  void count_pods(std::size_t slot, std::int64_t times) {
    for (const std::size_t pod : slots[slot].pods) count(pods[pod], times);
  }
  void count(const detail::BoundPod& pod, std::int64_t times) {
    const std::optional<std::size_t>& node = slots[pod.slot].node;
    if (!node) return;
    ++changes;
    for (const detail::CountedBy& by : pod.by)
      count_on(by, times, requests_of(pod), units_of(by.policy, *node));
  }

  /// Counts a pod so many times more on some units.
  void count_on(const detail::CountedBy& by, std::int64_t times, const Resources& requested,
                const detail::UnitSet& units) {
    sums[by.policy].add(by.values, [&](auto use) {
      for_each_counter(by.policy, requested, units, [&](std::size_t counter, std::int64_t amount) {
        use(counter, times * amount);
      });
    });
  }

  /// Calls `use(counter, amount)` for what a pod on some units adds to the counters of a policy: one to
  /// the pods of each of these units, and what it requests of each resource that they limit. Nothing
  /// is called with zero.
  template <class Use>
  void for_each_counter(std::size_t policy, const Resources& requested,
                        const detail::UnitSet& units, Use use) const {
    const detail::CompiledPolicy& of = policies()[policy];
    for (std::size_t unit = 0; unit < of.units.size(); ++unit)
      if (units[unit]) use(unit, 1);
    for (std::size_t i = 0; i < of.limits.size(); ++i) {
      if (!units[of.limits[i].unit]) continue;
      const std::int64_t amount = schedpol::detail::amount_of(requested, of.limits[i].resource);
      if (amount != 0) use(of.units.size() + i, amount);
    }
  }

  /// Nothing where no policy that counts the pod limits resources.
  [[nodiscard]] static const Resources& requests_of(const detail::CountedPod& pod) noexcept {
    static const Resources nothing;
    return pod.requests ? *pod.requests : nothing;
  }

  /// By counter of the policy, as rule 2 counts for this pod: itself is left out, and so are others.
  [[nodiscard]] std::vector<std::int64_t> seen_by(const Pod& pod, std::size_t policy,
                                                  std::span<const PodName> gone) const {
    const detail::LabelValues values(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<detail::WideSum> seen = sums[policy].seen_by(values);
    std::set<detail::MapKeyView> left_out{detail::pod_key(pod.metadata)};
    for (const PodName& name : gone) left_out.insert(detail::pod_key(name));
    for (const detail::MapKeyView& key : left_out) leave_out(key, policy, values, seen);
    return saturated(seen);
  }

  /// Takes a pod out of what the policy counts for a pod of those values: where it is bound, and where it
  /// is reserved.
  void leave_out(const detail::MapKeyView& key, std::size_t policy,
                 const detail::LabelValues& values, std::vector<detail::WideSum>& seen) const {
    const auto leave = [&](const detail::CountedBy& by, const Resources& requested,
                           const detail::UnitSet& units) {
      if (by.policy != policy || !values.counts(by.values)) return;
      for_each_counter(policy, requested, units,
                       [&](std::size_t counter, std::int64_t amount) { seen[counter] += -amount; });
    };
    if (const auto found = bound.find(key); found != bound.end()) {
      const detail::BoundPod& pod = pods[found->second];
      if (const std::optional<std::size_t>& node = slots[pod.slot].node)
        for (const detail::CountedBy& by : pod.by)
          leave(by, requests_of(pod), units_of(policy, *node));
    }
    if (const detail::ReservedPod* const pod = reserved.find(key)) {
      for (std::size_t i = 0; i < pod->by.size(); ++i)
        leave(pod->by[i], requests_of(*pod), pod->units[i]);
    }
  }

  /// `requested` is what the pod requests; null: what it says itself.
  [[nodiscard]] detail::CountedPod counted_pod(const Pod& pod, const Resources* requested) const {
    detail::CountedPod made;
    bool is_limited = false;
    compiled->for_each_selecting(pod, [&](std::size_t i) {
      ++made.selecting;
      made.policy = i;
      const detail::CompiledPolicy& policy = policies()[i];
      if (policy.units.empty()) return;
      if (policy.ignores_terminating_pods && !pod.metadata.deletion_timestamp.empty()) return;
      made.by.push_back({i, detail::LabelValues(pod.metadata.labels, policy.match_label_keys)});
      is_limited |= !policy.limits.empty();
    });
    if (is_limited)
      made.requests =
          Shared(requested == nullptr ? schedpol::requests(pod.spec, pod.status) : *requested);
    return made;
  }

  /// Two pods without a name would be one.
  [[nodiscard]] static bool can_be_counted(const Pod& pod) noexcept {
    return !pod.metadata.name.empty() && !is_terminal(pod);
  }

  /// `requested` as for `counted_pod`.
  void bind(const Pod& pod, std::string_view node, const Resources* requested = nullptr) {
    const detail::MapKeyView key = detail::pod_key(pod.metadata);
    unbind(key);
    if (node.empty() || !can_be_counted(pod)) return;
    detail::BoundPod made{counted_pod(pod, requested)};
    made.slot = slots.find_or_add(node);
    std::vector<std::size_t>& neighbours = slots[made.slot].pods;
    made.at = neighbours.size();
    count(made, 1);
    neighbours.push_back(pods.add(std::move(made)));
    bound[copy_of(key)] = neighbours.back();
  }

  void unbind(const detail::MapKeyView& key) {
    const auto found = bound.find(key);
    if (found == bound.end()) return;
    const detail::BoundPod& pod = pods[found->second];
    const std::size_t slot = pod.slot;
    count(pod, -1);
    std::vector<std::size_t>& neighbours = slots[slot].pods;
    neighbours[pod.at] = neighbours.back();
    pods[neighbours.back()].at = pod.at;
    neighbours.pop_back();
    pods.remove(found->second);
    bound.erase(found);
    tidy(slot);
  }

  /// `requested` as for `counted_pod`; `absent_nodes` are more nodes, which are not there now.
  void reserve(const Pod& pod, const NodeSet& nodes, const Resources* requested = nullptr,
               const std::set<std::string>& absent_nodes = {}) {
    const detail::MapKeyView key = detail::pod_key(pod.metadata);
    unreserve(key);
    if (!can_be_counted(pod)) return;
    detail::ReservedPod made{counted_pod(pod, requested), nodes & table.nodes(), absent_nodes};
    NodeSet both;  // once, so that its memory serves all units
    for (const detail::CountedBy& by : made.by) {
      detail::UnitSet& units = made.units.emplace_back();
      const std::vector<detail::CompiledUnit>& all = policies()[by.policy].units;
      for (std::size_t unit = 0; unit < all.size(); ++unit) {
        both = nodes;
        both &= nodes_of(all[unit]);
        units[unit] = !both.empty();
      }
      count_on(by, 1, requests_of(made), units);
    }
    ++changes;
    reserved[key] = std::move(made);
  }

  void unreserve(const detail::MapKeyView& key) {
    const detail::ReservedPod* const pod = reserved.find(key);
    if (pod == nullptr) return;
    for (std::size_t i = 0; i < pod->by.size(); ++i)
      count_on(pod->by[i], -1, requests_of(*pod), pod->units[i]);
    ++changes;
    reserved.erase(key);
  }

  /// The pods with a place reserved on a node count on the units that it is in now, too.
  void reserve_new_units(std::size_t node, const std::string& name) {
    for (const detail::MapKey& key : reserved.keys()) {
      detail::ReservedPod& pod = reserved[view(key)];
      if (pod.absent_nodes.erase(name) > 0) pod.nodes.insert(node);
      if (!pod.nodes.contains(node)) continue;
      for (std::size_t i = 0; i < pod.by.size(); ++i) {
        const detail::UnitSet added = units_of(pod.by[i].policy, node) & ~pod.units[i];
        pod.units[i] |= added;
        count_on(pod.by[i], 1, requests_of(pod), added);
      }
    }
  }

  /// A node has its number no longer; the places on it are reserved all the same.
  void keep_reserved_by_name(std::size_t node, std::string_view name) {
    for (const detail::MapKey& key : reserved.keys()) {
      detail::ReservedPod& pod = reserved[view(key)];
      if (!pod.nodes.contains(node)) continue;
      pod.nodes.erase(node);
      pod.absent_nodes.emplace(name);
    }
  }

  Shared<CompiledPolicies::Impl> compiled;
  NodeTable table;
  std::vector<NodeSet> selected;           ///< by node selector
  std::vector<detail::SumsByValues> sums;  ///< by policy
  schedpol::detail::NamedSlots<detail::PodSlot> slots;
  schedpol::detail::Slots<detail::BoundPod> pods;
  detail::ByPod<std::size_t> bound;
  detail::PersistentMap<detail::ReservedPod> reserved;
  std::uint64_t changes = 0;  ///< of what prefilters rest on
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
