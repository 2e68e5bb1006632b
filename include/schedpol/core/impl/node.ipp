// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/node_matchers.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

SCHEDPOL_INLINE bool hold(const Conjunction& all, const Node& node) noexcept {
  const ObjectMeta& metadata = node.metadata;
  return all_of(all, [&](const Requirement& requirement) {
    return requirement.holds(
        requirement.key.empty() ? &metadata.name : find_label(metadata.labels, requirement.key));
  });
}

}  // namespace detail

SCHEDPOL_INLINE Taint unschedulable_taint() {
  return {.key = "node.kubernetes.io/unschedulable", .effect = TaintEffect::no_schedule};
}

SCHEDPOL_INLINE bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                   std::span<const TaintEffect> effects) {
  if (!tolerates_all(tolerations, node.spec.taints, effects)) return false;
  if (!node.spec.unschedulable) return true;
  const Taint taint = unschedulable_taint();
  return tolerates_all(tolerations, {&taint, 1}, effects);
}

SCHEDPOL_INLINE NodeTermsMatcher::NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
  Impl impl;
  for (const NodeSelectorTerm& from : terms) {
    if (auto term = detail::to_conjunction(from)) impl.terms.push_back(*std::move(term));
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeTermsMatcher::matches(const Node& node) const noexcept {
  return impl_ && detail::any_of(impl_->terms,
                                 [&](const detail::Conjunction& term) { return hold(term, node); });
}

SCHEDPOL_INLINE NodeAffinityMatcher::NodeAffinityMatcher(const PodSpec& spec) {
  Impl impl;
  impl.node_selector = spec.node_selector;
  if (spec.affinity && spec.affinity->node_affinity) {
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
      impl.required.emplace(required->node_selector_terms);
    for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (!is_valid_weight(preferred.weight)) continue;
      if (auto term = detail::to_conjunction(preferred.preference))
        impl.preferences.push_back({preferred.weight, *std::move(term)});
    }
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeAffinityMatcher::matches(const Node& node) const noexcept {
  if (!impl_) return false;
  for (const auto& [key, value] : impl_->node_selector) {
    const std::string* label = find_label(node.metadata.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  return !impl_->required || impl_->required->matches(node);
}

SCHEDPOL_INLINE std::int64_t NodeAffinityMatcher::score(const Node& node) const noexcept {
  std::int64_t sum = 0;
  if (!impl_) return sum;
  for (const Impl::Preference& preference : impl_->preferences) {
    if (hold(preference.term, node)) sum += preference.weight;
  }
  return sum;
}

}  // namespace SCHEDPOL_NAMESPACE
