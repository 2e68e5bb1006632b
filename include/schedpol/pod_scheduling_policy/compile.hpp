// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicies made for injecting, and which of them apply to a pod:
///
/// 1. A policy applies when its podSelector matches the pod's (the template's) labels; the cluster
///    kind also needs its namespaceSelector to match the namespace's, the namespaced kind only
///    applies in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in byte order of their names (equal names: cluster first), each onto the
///    result of the one before, whatever order they were given in.
/// 3. Which of many apply is found by the labels and namespaces that their selectors name; only
///    those whose selectors name none are all looked at.
///
/// Source: the kupid README and webhook.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/scheduling_criteria.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

struct Injection;

/// What a policy gives to pods. Its name is valid as long as the policies are.
struct GivenCriteria {
  std::string_view policy{};
  SharedCriteria criteria{};
};

/// Policies in the order in which they apply. Default-constructed it fails closed: nobody said which
/// policies there are, so every pod is denied.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// The policies for which a pod with these labels cannot be injected without knowing the labels of
  /// its namespace: those of the cluster kind that select it, and not in every namespace. By name;
  /// none where nothing was compiled, which denies every pod anyway.
  [[nodiscard]] std::vector<std::string> asking_for_namespace(const Labels& labels) const;

  /// These and those: each of `policies` takes the place of the one of its kind, name and
  /// namespace. Errors are those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const PodSchedulingPolicy> policies) const;

  /// Those that are not called like one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const PodSchedulingPolicy> policies) const;

  /// How many policies are looked at for a pod with these labels; none where nothing was compiled.
  [[nodiscard]] std::size_t candidates(const Labels& labels, const Namespace& in) const;

  /// How many items (`max_given_items`) those that apply to a pod with these labels give it together;
  /// none where nothing was compiled.
  [[nodiscard]] std::size_t given_items(const Labels& labels, const Namespace& in) const;

  /// The criteria of the ClusterPodSchedulingPolicies that apply to a pod with these labels, in the
  /// order in which they do, whether or not the pod has conflicting ones; none where nothing was
  /// compiled. In a namespace that is not known, a null one, only those apply that do in every
  /// namespace. They are shared with the policies.
  [[nodiscard]] std::vector<GivenCriteria> criteria_of_cluster(const Labels& labels,
                                                               const Namespace* in) const;

 private:
  friend void inject_into(Injection&, const Namespace&, const CompiledPolicies&, DefaultScheduler,
                          ChangeValues, std::vector<Toleration>);

  struct Impl;
  Shared<Impl> impl_;
};

/// Builds the policies, or reports all that `validate` finds wrong with them, each error naming its
/// policy: nothing is injected then. Paths begin with `policies[i]`. Two policies of one kind, name
/// and namespace are an error, because which came first would matter.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/compile.ipp>
#endif
