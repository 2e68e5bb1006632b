// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/cluster.hpp>
#include <schedpol/resource_policy/impl/cluster_state.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

#include <algorithm>
#include <limits>
#include <memory>

namespace schedpol::resource_policy {

SCHEDPOL_INLINE Cluster::Cluster(CompiledPolicies policies, std::span<const Node> nodes,
                                 std::span<const Pod> pods) {
  if (!policies.impl_) return;
  auto made = std::make_unique<Impl>(std::move(policies.impl_));
  for (const Node& node : nodes) made->add_node(node);
  for (const Pod& pod : pods) made->bind(pod, pod.spec.node_name);
  impl_ = made.release();
}

SCHEDPOL_INLINE Cluster::Cluster(const Cluster& other)
    : impl_(other.impl_ == nullptr ? nullptr : new Impl(*other.impl_)) {}

SCHEDPOL_INLINE Cluster::Cluster(Cluster&& other) noexcept
    : impl_(std::exchange(other.impl_, nullptr)) {}

SCHEDPOL_INLINE Cluster& Cluster::operator=(Cluster other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

SCHEDPOL_INLINE Cluster::~Cluster() {
  delete impl_;
}

SCHEDPOL_INLINE Prefilter Cluster::prefilter(const Pod& pod) const& {
  Prefilter prefilter;
  if (impl_ == nullptr) return prefilter;
  std::size_t selecting = 0;
  for (std::size_t i = 0; i < impl_->policies().size(); ++i) {
    if (!impl_->policies()[i].selects(pod)) continue;
    ++selecting;
    prefilter.policy_ = i;
  }
  if (selecting == 0) prefilter.code_ = Code::skip;
  if (selecting > 1) prefilter.reason_ = Reason::multiple_resource_policies;
  if (selecting != 1) return prefilter;
  prefilter.code_ = Code::success;
  prefilter.cluster_ = impl_;
  prefilter.changes_ = impl_->changes;
  prefilter.counts_ = impl_->counts_for(pod, prefilter.policy_);
  return prefilter;
}

SCHEDPOL_INLINE void Cluster::bind(const Pod& pod, std::string_view node) {
  if (impl_ != nullptr) impl_->bind(pod, node);
}

SCHEDPOL_INLINE void Cluster::unbind(std::string_view namespace_, std::string_view name) {
  if (impl_ != nullptr) impl_->unbind({namespace_, name});
}

SCHEDPOL_INLINE std::optional<std::int32_t> Cluster::deletion_cost(std::string_view namespace_,
                                                                   std::string_view name) const {
  if (impl_ == nullptr) return std::nullopt;
  const auto found = impl_->bound.find(Impl::PodName(namespace_, name));
  if (found == impl_->bound.end() || found->second.selecting != 1) return std::nullopt;
  const auto& [node, selecting, index, counted_by] = found->second;
  const detail::CompiledPolicy& policy = impl_->policies()[index];
  const detail::UnitIndices& units = impl_->units_of(index, node);
  const std::int64_t cost =
      units.empty() ? score_outside_units : policy.units[detail::best_unit(policy, units)].score;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

SCHEDPOL_INLINE std::string_view Prefilter::policy() const noexcept {
  return cluster_ == nullptr ? std::string_view() : cluster_->policies()[policy_].name;
}

SCHEDPOL_INLINE Filter Prefilter::filter(std::string_view node) const noexcept {
  if (code_ == Code::skip) return {Code::success, Reason::none, std::nullopt};
  if (code_ != Code::success) return {code_, reason_, std::nullopt};
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const bool holds = changes_ == cluster_->changes && counts_.size() == policy.units.size();
  if (!holds) return {};
  const detail::UnitIndices& units = cluster_->units_of(policy_, node);
  if (units.empty()) {
    if (policy.prefers) return {Code::success, Reason::none, std::nullopt};
    return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
  }
  const std::size_t best = detail::best_unit(policy, units);
  for (const std::size_t unit : units) {
    const auto& max_count = policy.units[unit].max_count;
    if (max_count && counts_[unit] >= *max_count)
      return {Code::unschedulable, Reason::unit_full, best};
  }
  return {Code::success, Reason::none, best};
}

SCHEDPOL_INLINE std::int64_t Prefilter::score(const Filter& filter) const noexcept {
  if (code_ != Code::success || !filter.unit || *filter.unit >= counts_.size())
    return score_outside_units;
  return cluster_->policies()[policy_].units[*filter.unit].score;
}

}  // namespace schedpol::resource_policy
