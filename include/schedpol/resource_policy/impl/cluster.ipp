// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/impl/cluster_impl.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Whether an amount more is too much where so much is requested already.
[[nodiscard]] inline bool exceeds(std::int64_t amount, std::int64_t requested,
                                  std::int64_t max) noexcept {
  if (amount == std::numeric_limits<std::int64_t>::max()) return true;
  return amount > 0 && amount > max - requested;  // neither is below zero
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
  if (impl_) impl_->add_node(node);
}

SCHEDPOL_INLINE void Cluster::remove_node(std::string_view name) {
  if (impl_) impl_->remove_node(name);
}

SCHEDPOL_INLINE Prefilter Cluster::prefilter(const Pod& pod) const& {
  Prefilter prefilter;
  if (!impl_) return prefilter;
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
  prefilter.counts_ = impl_->counts_for(pod, prefilter.policy_);
  prefilter.look_at_requests(pod, {});
  return prefilter;
}

SCHEDPOL_INLINE void Cluster::bind(const Pod& pod, std::string_view node) {
  if (impl_) impl_->bind(pod, node);
}

SCHEDPOL_INLINE void Cluster::unbind(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unbind({namespace_, name});
}

SCHEDPOL_INLINE void Cluster::reserve(const Pod& pod, const NodeSet& nodes) {
  if (impl_) impl_->reserve(pod, nodes);
}

SCHEDPOL_INLINE void Cluster::unreserve(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unreserve({namespace_, name});
}

SCHEDPOL_INLINE std::optional<std::int32_t> Cluster::deletion_cost(std::string_view namespace_,
                                                                   std::string_view name) const {
  if (!impl_) return std::nullopt;
  const auto found = impl_->bound.find(PodName{namespace_, name});
  if (found == impl_->bound.end()) return std::nullopt;
  const detail::CountedPod& pod = impl_->pods[found->second];
  const std::optional<std::size_t>& node = impl_->slots[pod.slot].node;
  if (!node || pod.counting.selecting != 1) return std::nullopt;
  const std::optional<std::size_t> unit = impl_->best_unit(pod.counting.policy, *node);
  const std::int64_t cost =
      unit ? impl_->policies()[pod.counting.policy].units[*unit].score : score_outside_units;
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
    const detail::Group any(Labels{}, of.match_label_keys);
    const std::vector<std::int64_t> pods = saturated(impl_->counts[i].seen_by(any));
    const std::vector<std::int64_t> requests = saturated(impl_->requests[i].seen_by(any));
    for (std::size_t unit = 0; unit < of.units.size(); ++unit) {
      UnitUsage& made = usage.emplace_back();
      made.name = of.units[unit].name;
      made.pods = pods[unit];
      made.max_count = of.units[unit].max_count;
      of.for_each_limit(unit, [&](std::size_t limit) {
        const std::string& resource = of.resources[of.limits[limit].resource];
        const auto quantity = [&](std::int64_t amount) {
          return schedpol::detail::quantity_of(resource, amount);
        };
        made.requests.emplace(resource, quantity(requests[limit]));
        made.max_resources.emplace(resource, quantity(of.limits[limit].max));
      });
    }
  }
  return usage;
}

SCHEDPOL_INLINE std::string_view Prefilter::policy() const noexcept {
  return code_ != Code::success ? std::string_view() : cluster_->policies()[policy_].name;
}

/// Whether what was counted is still so. Only where there is one policy.
SCHEDPOL_INLINE bool Prefilter::holds() const noexcept {
  return changes_ == cluster_->changes &&
         counts_.size() == cluster_->policies()[policy_].units.size();
}

SCHEDPOL_INLINE Prefilter Prefilter::without(std::span<const PodName> gone, const Pod& pod) const {
  Prefilter prefilter = *this;
  if (code_ != Code::success || !holds()) return prefilter;
  const ObjectMeta& itself = pod.metadata;
  const detail::Group group(itself.labels, cluster_->policies()[policy_].match_label_keys);
  for (const PodName& name : gone) {
    if (!detail::is_same(name, {itself.namespace_, itself.name}))
      cluster_->leave_out(name, policy_, group, prefilter.counts_);
  }
  prefilter.look_at_requests(pod, gone);
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
  if (exceeded_unit(*number)) return {Code::unschedulable, Reason::unit_resources_exceeded, best};
  return {Code::success, Reason::none, best};
}

/// The first full unit that a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::full_unit(std::size_t node) const noexcept {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  std::optional<std::size_t> first;
  cluster_->units_of(policy_, node)([&](std::size_t unit) {
    if (!first && detail::is_full(policy.units[unit], counts_[unit])) first = unit;
  });
  return first;
}

/// Of `exceeded_` the first that a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::exceeded_unit(
    std::size_t node) const noexcept {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (std::size_t i = 0; i < exceeded_.size(); ++i) {
    if (cluster_->nodes_of(policy.units[exceeded_[i].unit]).contains(node)) return i;
  }
  return std::nullopt;
}

/// What the pods request once some are gone, and which units that leaves no room in. Only where there
/// is one policy.
SCHEDPOL_INLINE void Prefilter::look_at_requests(const Pod& pod, std::span<const PodName> gone) {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  exceeded_.clear();
  if (policy.limits.empty()) return;
  requests_ = cluster_->requests_for(pod, policy_, gone);
  const Resources asked = schedpol::requests(pod.spec);
  std::vector<std::int64_t> amounts;
  for (const std::string& resource : policy.resources)
    amounts.push_back(schedpol::detail::amount_of(asked, resource));
  for (std::size_t unit = 0; unit < policy.units.size(); ++unit) {
    policy.for_each_limit(unit, [&](std::size_t limit) {
      const std::int64_t amount = amounts[policy.limits[limit].resource];
      const bool is_known = !exceeded_.empty() && exceeded_.back().unit == unit;
      if (!is_known && detail::exceeds(amount, requests_[limit], policy.limits[limit].max))
        exceeded_.push_back({unit, limit});
    });
  }
}

SCHEDPOL_INLINE std::vector<ResourceList> Prefilter::requested() const {
  std::vector<ResourceList> requested;
  if (requests_.empty()) return requested;
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (std::size_t unit = 0; unit < policy.units.size(); ++unit) {
    ResourceList& of_unit = requested.emplace_back();
    policy.for_each_limit(unit, [&](std::size_t limit) {
      const std::string& resource = policy.resources[policy.limits[limit].resource];
      of_unit.emplace(resource, schedpol::detail::quantity_of(resource, requests_[limit]));
    });
  }
  return requested;
}

SCHEDPOL_INLINE std::string Prefilter::message(std::string_view node) const {
  const Filter said = filter(node);
  if (said.code == Code::success) return {};
  if (said.reason == Reason::multiple_resource_policies)
    return "more than one ResourcePolicy selects the pod";
  if (said.reason == Reason::no_name) return "the pod has no name, so it cannot be bound";
  if (said.reason == Reason::none) return "nothing is known of the pod any more";
  if (said.reason == Reason::node_not_in_unit) return "in no unit of its ResourcePolicy";
  const std::size_t number = *cluster_->table.find(node);
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const auto unit = [&](std::size_t at) {
    const std::string& name = policy.units[at].name;
    return "unit " + (name.empty() ? std::to_string(at) : in_backticks(name));
  };
  if (const auto full = full_unit(number)) return unit(*full) + " is full";
  const Exceeded& exceeded = exceeded_[*exceeded_unit(number)];
  return "insufficient " + policy.resources[policy.limits[exceeded.limit].resource] + " in " +
         unit(exceeded.unit);
}

SCHEDPOL_INLINE std::int64_t Prefilter::score(const Filter& filter) const noexcept {
  if (!filter.unit || *filter.unit >= counts_.size()) return score_outside_units;
  return cluster_->policies()[policy_].units[*filter.unit].score;
}

SCHEDPOL_INLINE NodeSet Prefilter::feasible() const {
  if (code_ == Code::skip) return cluster_->table.nodes();
  if (code_ != Code::success || !holds()) return {};
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  NodeSet nodes;
  if (policy.prefers) {
    nodes = cluster_->table.nodes();
  } else {
    for (const detail::CompiledUnit& unit : policy.units) nodes |= cluster_->nodes_of(unit);
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (detail::is_full(policy.units[i], counts_[i])) nodes -= cluster_->nodes_of(policy.units[i]);
  }
  for (const Exceeded& exceeded : exceeded_)
    nodes -= cluster_->nodes_of(policy.units[exceeded.unit]);
  return nodes;
}

SCHEDPOL_INLINE NodeSet Prefilter::infeasible(Reason reason) const {
  if (cluster_ == nullptr || code_ == Code::skip) return {};
  const NodeTable& table = cluster_->table;
  if (code_ != Code::success) return reason == reason_ ? table.nodes() : NodeSet();
  if (!holds()) return reason == Reason::none ? table.nodes() : NodeSet();
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  NodeSet nodes;
  if (reason == Reason::unit_resources_exceeded) {
    for (const Exceeded& exceeded : exceeded_)
      nodes |= cluster_->nodes_of(policy.units[exceeded.unit]);
    if (!nodes.empty()) nodes -= infeasible(Reason::unit_full);
  } else if (reason == Reason::unit_full) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const detail::CompiledUnit& unit = policy.units[i];
      if (detail::is_full(unit, counts_[i])) nodes |= cluster_->nodes_of(unit);
    }
  } else if (reason == Reason::node_not_in_unit && !policy.prefers) {
    nodes = table.nodes();
    for (const detail::CompiledUnit& unit : policy.units) nodes -= cluster_->nodes_of(unit);
  }
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
