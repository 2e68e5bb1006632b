// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicies compiled for injection, and which of them apply to a pod:
///
/// 1. A policy applies if its podSelector matches the labels of the pod or template. In addition, the
///    namespaceSelector of the cluster kind must match the labels of the namespace; the namespaced kind
///    applies only in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in the byte order of their names (equal names: cluster kind first), each to the
///    result of the one before. The order in which you give them does not matter.
/// 3. An index finds policies by the labels and namespaces that their selectors name. Only policies whose
///    selectors name none are all checked for each pod.
///
/// Source: the kupid README and webhook.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/scheduling_criteria.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

struct Injection;

/// What a policy gives to pods. The name is valid as long as the CompiledPolicies.
struct GivenCriteria {
  std::string_view policy{};
  SharedCriteria criteria{};
};

/// Policies in the order in which they apply. A default-constructed value fails closed: the policies are
/// not known, so every pod is denied.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// The names of the policies that need the labels of the namespace to decide on a pod with these
  /// labels: cluster policies that select the pod, but not in every namespace. Empty if nothing was
  /// compiled; then every pod is denied anyway.
  [[nodiscard]] std::vector<std::string> asking_for_namespace(const Labels& labels) const;

  /// These policies and `policies`, which replace those of the same kind, name and namespace. Errors are
  /// those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const PodSchedulingPolicy> policies) const;

  /// These policies except those with the kind, name and namespace of one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const PodSchedulingPolicy> policies) const;

  /// The number of policies checked for a pod with these labels; zero if nothing was compiled.
  [[nodiscard]] std::size_t candidates(const Labels& labels, const Namespace& in) const;

  /// The number of items (`max_given_items`) that the policies which apply to a pod with these labels
  /// give it together; zero if nothing was compiled.
  [[nodiscard]] std::size_t given_items(const Labels& labels, const Namespace& in) const;

  /// The criteria of the ClusterPodSchedulingPolicies that apply to a pod with these labels, in the
  /// order in which they apply, even if the pod has conflicting ones. Empty if nothing was compiled.
  /// `in` is null for an unknown namespace: only policies that apply in every namespace then count.
  /// The criteria are shared with the policies.
  [[nodiscard]] std::vector<GivenCriteria> criteria_of_cluster(const Labels& labels,
                                                               const Namespace* in) const;

 private:
  friend void inject_into(Injection&, const Namespace&, const CompiledPolicies&, DefaultScheduler,
                          ChangeValues, std::vector<Toleration>);

  struct Impl;
  Shared<Impl> impl_;
};

/// Compiles the policies, or reports all errors of `validate`, each with the name of its policy; nothing
/// is then injected. Paths begin with `policies[i]`. Two policies with the same kind, name and namespace
/// are an error, because their order would matter.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/compile.ipp>
#endif
