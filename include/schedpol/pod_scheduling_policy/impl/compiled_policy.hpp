// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

#include <schedpol/core/impl/given_items.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/core/impl/satisfiability.hpp>
#include <schedpol/core/impl/selector_index.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// Its namespace tells two policies apart only where it has one.
inline schedpol::detail::NamedObject name_of(const PodSchedulingPolicy& policy,
                                             std::size_t index = 0) {
  if (policy.kind == PolicyKind::cluster_pod_scheduling_policy)
    return {policy.metadata.name, {}, index};
  return {policy.metadata.name, namespace_of(policy.metadata), index};
}

/// The same as a key.
inline schedpol::detail::MapKeyView key_of(const PodSchedulingPolicy& policy) {
  const schedpol::detail::NamedObject named = name_of(policy);
  return {0, named.namespace_, named.name};
}

using schedpol::detail::PolicyTerm;
using schedpol::detail::required_terms;

/// What a policy injects, and what policies may change of a pod.
template <class Spec>
SchedulingCriteria criteria_of(const Spec& spec) {
  return {.node_name = spec.node_name,
          .scheduler_name = spec.scheduler_name,
          .node_selector = spec.node_selector,
          .tolerations = spec.tolerations,
          .affinity = spec.affinity};
}

struct CompiledPolicy {
  PodSchedulingPolicy policy{};
  LabelMatcher pods{};
  LabelMatcher namespaces{};
  std::vector<PolicyTerm> required{};  ///< its required node terms, one for one
  SharedCriteria of_cluster{};         ///< what one of the cluster kind injects

  [[nodiscard]] bool is_of_cluster() const noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }

  /// Whether it applies to a pod with these labels in that namespace.
  [[nodiscard]] bool applies(const Labels& labels, const Namespace& in) const noexcept {
    const bool here = is_of_cluster() ? namespaces.matches(in.metadata.labels)
                                      : namespace_of(policy.metadata) == namespace_of(in);
    return here && pods.matches(labels);
  }

  /// Whether it applies first of two that apply.
  [[nodiscard]] bool before(const CompiledPolicy& other) const noexcept {
    return schedpol::detail::is_before(name_of(policy), name_of(other.policy));
  }

  /// What its selectors name.
  [[nodiscard]] schedpol::detail::SelectionCriteria criteria() const {
    using schedpol::detail::IndexKeyKind;
    schedpol::detail::SelectionCriteria criteria;
    if (is_of_cluster()) {
      criteria.selected(IndexKeyKind::namespace_label, policy.spec.namespace_selector);
    } else {
      criteria.in_namespace(namespace_of(policy.metadata));
    }
    return criteria.selected(IndexKeyKind::label, policy.spec.pod_selector);
  }

  /// Whether the labels of a namespace say if it applies there.
  [[nodiscard]] bool looks_at_namespaces() const noexcept {
    const auto& selector = policy.spec.namespace_selector;
    return is_of_cluster() && selector && *selector != LabelSelector{};
  }
};

}  // namespace detail

struct CompiledPolicies::Impl {
  schedpol::detail::SelectorIndex<detail::CompiledPolicy> policies{};
  schedpol::detail::PersistentMap<Shared<detail::CompiledPolicy>> by_name{};

  void add(detail::CompiledPolicy policy) {
    const Shared<detail::CompiledPolicy> shared(std::move(policy));
    policies.add(shared, shared->criteria());
    by_name[detail::key_of(shared->policy)] = shared;
  }
  void remove(const PodSchedulingPolicy& policy) {
    const Shared<detail::CompiledPolicy>* const found = by_name.find(detail::key_of(policy));
    if (found == nullptr) return;
    policies.remove(**found, (*found)->criteria());
    by_name.erase(detail::key_of(policy));
  }

  /// Those that apply to a pod with these labels, in the order in which they do.
  [[nodiscard]] std::vector<const detail::CompiledPolicy*> applying(const Labels& labels,
                                                                    const Namespace& in) const {
    return policies.find(selectable(labels, in), [&](const detail::CompiledPolicy& policy) {
      return policy.applies(labels, in);
    });
  }

  /// What some of them give to a pod together.
  [[nodiscard]] static std::size_t given_items(
      const std::vector<const detail::CompiledPolicy*>& applying) noexcept {
    std::size_t items = 0;
    for (const detail::CompiledPolicy* compiled : applying)
      items += schedpol::detail::given_items(compiled->policy.spec);
    return items;
  }

  static schedpol::detail::Selectable selectable(const Labels& labels, const Namespace& in) {
    return {
        .namespace_ = namespace_of(in), .labels = &labels, .namespace_labels = &in.metadata.labels};
  }
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
