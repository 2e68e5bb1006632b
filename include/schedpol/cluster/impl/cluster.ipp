// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/impl/cluster_impl.hpp>
#include <schedpol/cluster/impl/scored_nodes.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Whether an amount more is too much where so much is requested already.
[[nodiscard]] inline bool exceeds(std::int64_t amount, std::int64_t requested,
                                  std::int64_t max) noexcept {
  if (amount == std::numeric_limits<std::int64_t>::max()) return true;
  return amount > 0 && amount > max - requested;  // neither is below zero
}

/// By unit of a policy, so much as `amount` says of each resource that it limits.
template <class Amount>
std::vector<ResourceList> by_unit(const CompiledPolicy& policy, Amount amount) {
  std::vector<ResourceList> lists(policy.units.size());
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const auto& [unit, resource, max] = policy.limits[i];
    lists[unit].try_emplace(resource, schedpol::detail::to_quantity(resource, amount(i)));
  }
  return lists;
}

/// Where a score of a range stands between 0 and 100. The range is not empty.
inline std::int64_t percent_between(std::int64_t low, std::int64_t high,
                                    std::int64_t score) noexcept {
  // Differences of any two int64 fit in uint64.
  const auto above_low = [low](std::int64_t of) {
    return static_cast<std::uint64_t>(of) - static_cast<std::uint64_t>(low);
  };
  return static_cast<std::int64_t>(schedpol::detail::percent(above_low(score), above_low(high)));
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::none: return "";
    case Reason::multiple_resource_policies: return "MultipleResourcePolicies";
    case Reason::no_name: return "NoName";
    case Reason::unit_full: return "UnitFull";
    case Reason::unit_resources_exceeded: return "UnitResourcesExceeded";
    case Reason::node_not_in_unit: return "NodeNotInUnit";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::success: return "Success";
    case Code::skip: return "Skip";
    case Code::unschedulable: return "Unschedulable";
    case Code::unschedulable_and_unresolvable: return "UnschedulableAndUnresolvable";
  }
  return "";
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  NodeSet all;
  for (std::size_t i = 0; i < scores.size(); ++i) all.insert(i);
  return normalise(std::vector<std::int64_t>(scores.begin(), scores.end()), all);
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                    const NodeSet& nodes) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  schedpol::detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t score) {
    low = std::min(low, score);
    high = std::max(high, score);
  });
  std::int64_t last = low;  // mostly many nodes have the same score
  std::int64_t last_percent = low < high ? 0 : 100;
  schedpol::detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t& score) {
    if (score != last) last_percent = detail::percent_between(low, high, last = score);
    score = last_percent;
  });
  return scores;
}

SCHEDPOL_INLINE Cluster::Cluster(CompiledPolicies policies, std::span<const Node> nodes,
                                 std::span<const Pod> pods) {
  if (!policies.impl_) return;
  impl_ = Owned<Impl>(Impl(std::move(policies.impl_), nodes));
  for (const Pod& pod : pods) impl_->bind(pod, pod.spec.node_name);
}

SCHEDPOL_INLINE const NodeTable& Cluster::nodes() const& noexcept {
  static const NodeTable none;
  return impl_ ? impl_->table : none;
}

SCHEDPOL_INLINE void Cluster::add_node(const Node& node) {
  if (!impl_) return;
  Impl& state = *impl_;
  const std::size_t slot = state.slots.find_or_add(node.metadata.name);
  state.count_pods(slot, -1);
  const std::size_t number = state.put_into_table(node);
  for (std::size_t i = 0; i < state.selected.size(); ++i) {
    if (state.compiled->node_selectors[i].matches(node.metadata.labels)) {
      state.selected[i].insert(number);
    } else {
      state.selected[i].erase(number);
    }
  }
  state.count_pods(slot, 1);
  state.reserve_new_units(number, node.metadata.name);
  ++state.changes;
}

SCHEDPOL_INLINE void Cluster::remove_node(std::string_view name) {
  if (!impl_) return;
  Impl& state = *impl_;
  const std::optional<std::size_t> slot = state.slots.find(name);
  if (!slot || !state.slots[*slot].node) return;
  const std::size_t number = *state.slots[*slot].node;
  state.count_pods(*slot, -1);
  state.keep_reserved_by_name(number, name);
  state.table.remove(number);
  for (NodeSet& nodes : state.selected) nodes.erase(number);
  state.slots[*slot].node.reset();
  state.tidy(*slot);
  ++state.changes;
}

SCHEDPOL_INLINE Prefilter Cluster::prefilter(const Pod& pod) const& {
  Prefilter prefilter;
  if (!impl_ || pod.spec.moved_from) return prefilter;
  prefilter.cluster_ = &*impl_;
  std::size_t selecting = 0;
  impl_->compiled->for_each_selecting(pod, [&](std::size_t policy) {
    ++selecting;
    prefilter.policy_ = policy;
  });
  if (selecting == 0) prefilter.code_ = Code::skip;
  if (selecting > 1) prefilter.reason_ = Reason::multiple_resource_policies;
  if (selecting == 1 && pod.metadata.name.empty()) prefilter.reason_ = Reason::no_name;
  if (selecting != 1 || prefilter.reason_ != Reason::none) return prefilter;
  prefilter.code_ = Code::success;
  prefilter.changes_ = impl_->changes;
  prefilter.ask_for(pod);
  prefilter.count(pod, {});
  return prefilter;
}

SCHEDPOL_INLINE void Cluster::bind(const Pod& pod, std::string_view node) {
  if (impl_) impl_->bind(pod, node);
}

SCHEDPOL_INLINE void Cluster::unbind(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unbind(detail::pod_key(PodName{namespace_, name}));
}

SCHEDPOL_INLINE void Cluster::reserve(const Pod& pod, const NodeSet& nodes) {
  if (impl_) impl_->reserve(pod, nodes);
}

SCHEDPOL_INLINE void Cluster::unreserve(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unreserve(detail::pod_key(PodName{namespace_, name}));
}

SCHEDPOL_INLINE std::optional<std::int32_t> Cluster::deletion_cost(std::string_view namespace_,
                                                                   std::string_view name) const {
  if (!impl_) return std::nullopt;
  const auto found = impl_->bound.find(detail::pod_key(PodName{namespace_, name}));
  if (found == impl_->bound.end()) return std::nullopt;
  const detail::BoundPod& pod = impl_->pods[found->second];
  const std::optional<std::size_t>& node = impl_->slots[pod.slot].node;
  if (!node || pod.selecting != 1) return std::nullopt;
  const std::optional<std::size_t> unit = impl_->best_unit(pod.policy, *node);
  const std::int64_t cost =
      unit ? impl_->policies()[pod.policy].units[*unit].score : score_outside_units;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

SCHEDPOL_INLINE std::vector<UnitUsage> Cluster::usage(std::string_view namespace_,
                                                      std::string_view policy) const {
  std::vector<UnitUsage> usage;
  if (!impl_) return usage;
  for (std::size_t i = 0; i < impl_->policies().size(); ++i) {
    const detail::CompiledPolicy& of = impl_->policies()[i];
    if (of.name != policy || of.namespace_ != namespace_or_default(namespace_)) continue;
    const detail::LabelValues any(Labels{}, of.match_label_keys);
    const std::vector<std::int64_t> seen = saturated(impl_->sums[i].seen_by(any));
    std::vector<ResourceList> requests =
        detail::by_unit(of, [&](std::size_t limit) { return seen[of.units.size() + limit]; });
    std::vector<ResourceList> limits =
        detail::by_unit(of, [&](std::size_t limit) { return of.limits[limit].max; });
    for (std::size_t unit = 0; unit < of.units.size(); ++unit)
      usage.push_back({of.units[unit].name, seen[unit], of.units[unit].max_count,
                       std::move(requests[unit]), std::move(limits[unit])});
  }
  return usage;
}

SCHEDPOL_INLINE std::string_view Prefilter::policy() const noexcept {
  return code_ != Code::success ? std::string_view() : cluster_->policies()[policy_].name;
}

SCHEDPOL_INLINE std::vector<std::int64_t> Prefilter::counts() && {
  return std::move(counts_);
}

/// Whether what was counted is still so. Only where there is one policy.
SCHEDPOL_INLINE bool Prefilter::holds() const noexcept {
  return changes_ == cluster_->changes &&
         counts_.size() == cluster_->policies()[policy_].units.size();
}

SCHEDPOL_INLINE Prefilter Prefilter::without(std::span<const PodName> gone, const Pod& pod) const {
  Prefilter prefilter = *this;
  if (code_ != Code::success || !holds()) return prefilter;
  prefilter.count(pod, gone);
  return prefilter;
}

SCHEDPOL_INLINE Filter Prefilter::filter(std::string_view node) const noexcept {
  if (code_ == Code::skip) return {Code::success, Reason::none, std::nullopt};
  if (code_ != Code::success) return {code_, reason_, std::nullopt};
  if (!holds()) return {};
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const std::optional<std::size_t> number = cluster_->table.find(node);
  const auto best = number ? cluster_->best_unit(policy_, *number) : std::nullopt;
  if (!best) {
    if (policy.prefers) return {Code::success, Reason::none, std::nullopt};
    return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
  }
  if (full_unit(*number)) return {Code::unschedulable, Reason::unit_full, best};
  if (exceeded_limit(*number)) return {Code::unschedulable, Reason::unit_resources_exceeded, best};
  return {Code::success, Reason::none, best};
}

/// The first full unit that a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::full_unit(std::size_t node) const noexcept {
  const std::vector<detail::CompiledUnit>& units = cluster_->policies()[policy_].units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (detail::is_full(units[i], counts_[i]) && cluster_->nodes_of(units[i]).contains(node))
      return i;
  return std::nullopt;
}

/// Of `exceeded_` the first whose unit a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::exceeded_limit(
    std::size_t node) const noexcept {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (const std::size_t limit : exceeded_)
    if (cluster_->nodes_of(policy.units[policy.limits[limit].unit]).contains(node)) return limit;
  return std::nullopt;
}

/// What the pod requests, which is the same whatever is counted. Only where there is one policy.
SCHEDPOL_INLINE void Prefilter::ask_for(const Pod& pod) {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  if (policy.limits.empty()) return;
  const Resources requested = schedpol::requests(pod.spec);
  for (const detail::UnitLimit& limit : policy.limits)
    requested_.push_back(schedpol::detail::amount_of(requested, limit.resource));
}

/// What is counted once some pods are gone, and which limits leave no room. Only where there is one
/// policy.
SCHEDPOL_INLINE void Prefilter::count(const Pod& pod, std::span<const PodName> gone) {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  requests_ = cluster_->seen_by(pod, policy_, gone);  // behind the counts of the units
  const auto of_limits = requests_.begin() + static_cast<std::ptrdiff_t>(policy.units.size());
  counts_.assign(requests_.begin(), of_limits);
  requests_.erase(requests_.begin(), of_limits);
  exceeded_.clear();
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const auto& [unit, resource, max] = policy.limits[i];
    if (!exceeded_.empty() && policy.limits[exceeded_.back()].unit == unit) continue;
    if (detail::exceeds(requested_[i], requests_[i], max)) exceeded_.push_back(i);
  }
}

SCHEDPOL_INLINE std::vector<ResourceList> Prefilter::requested() const {
  if (requests_.empty()) return {};
  return detail::by_unit(cluster_->policies()[policy_],
                         [&](std::size_t limit) { return requests_[limit]; });
}

SCHEDPOL_INLINE std::string Prefilter::message(std::string_view node) const {
  const Filter filtered = filter(node);
  if (filtered.code == Code::success) return {};
  if (filtered.reason == Reason::multiple_resource_policies)
    return "more than one ResourcePolicy selects the pod";
  if (filtered.reason == Reason::no_name) return "the pod has no name, so it cannot be bound";
  if (filtered.reason == Reason::none) return "nothing is known of the pod any more";
  if (filtered.reason == Reason::node_not_in_unit) return "in no unit of its ResourcePolicy";
  const std::size_t number = *cluster_->table.find(node);
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const auto unit = [&](std::size_t at) {
    const std::string& name = policy.units[at].name;
    return "unit " + (name.empty() ? std::to_string(at) : in_backticks(name));
  };
  if (const auto full = full_unit(number)) return unit(*full) + " is full";
  const detail::UnitLimit& exceeded = policy.limits[*exceeded_limit(number)];
  return "insufficient " + exceeded.resource + " in " + unit(exceeded.unit);
}

SCHEDPOL_INLINE std::int64_t Prefilter::score(const Filter& filter) const noexcept {
  if (!filter.unit || *filter.unit >= counts_.size()) return score_outside_units;
  return cluster_->policies()[policy_].units[*filter.unit].score;
}

SCHEDPOL_INLINE NodeSet Prefilter::feasible() const {
  if (code_ == Code::skip) return cluster_->table.nodes();
  if (code_ != Code::success || !holds()) return {};
  const bool prefers = cluster_->policies()[policy_].prefers;
  NodeSet nodes = prefers ? cluster_->table.nodes() : cluster_->nodes_in_units(policy_);
  nodes -= full_nodes();
  return nodes -= exceeded_nodes();
}

SCHEDPOL_INLINE NodeSet Prefilter::infeasible(Reason reason) const {
  if (cluster_ == nullptr || code_ == Code::skip) return {};
  const NodeTable& table = cluster_->table;
  if (code_ != Code::success) return reason == reason_ ? table.nodes() : NodeSet();
  if (!holds()) return reason == Reason::none ? table.nodes() : NodeSet();
  if (reason == Reason::unit_full) return full_nodes();
  if (reason == Reason::unit_resources_exceeded) return exceeded_nodes() - full_nodes();
  if (reason != Reason::node_not_in_unit || cluster_->policies()[policy_].prefers) return {};
  return table.nodes() - cluster_->nodes_in_units(policy_);
}

/// The nodes of full units. Only where there is one policy.
SCHEDPOL_INLINE NodeSet Prefilter::full_nodes() const {
  NodeSet nodes;
  const std::vector<detail::CompiledUnit>& units = cluster_->policies()[policy_].units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (detail::is_full(units[i], counts_[i])) nodes |= cluster_->nodes_of(units[i]);
  return nodes;
}

/// The nodes of the units of `exceeded_`. Only where there is one policy.
SCHEDPOL_INLINE NodeSet Prefilter::exceeded_nodes() const {
  NodeSet nodes;
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (const std::size_t limit : exceeded_)
    nodes |= cluster_->nodes_of(policy.units[policy.limits[limit].unit]);
  return nodes;
}

SCHEDPOL_INLINE std::vector<std::int64_t> Prefilter::scores(const NodeSet& nodes) const {
  if (cluster_ == nullptr) return {};
  std::vector<std::int64_t> scores(cluster_->table.size());
  NodeSet rest = nodes & cluster_->table.nodes();
  const auto give = [&](const NodeSet& some, std::int64_t score) {
    for (const std::size_t node : some) scores[node] = score;
  };
  if (code_ == Code::success) {
    const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
    for (const std::size_t best : policy.best_first) {
      const detail::CompiledUnit& unit = policy.units[best];
      give(rest & cluster_->nodes_of(unit), unit.score);
      rest -= cluster_->nodes_of(unit);
      if (rest.empty()) break;
    }
  }
  give(rest, score_outside_units);
  return scores;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
