// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the policies that apply to a pod, or to the pod template of a workload, are merged into it.
/// The pod's own criteria win; what does not conflict is merged in:
///
/// 1. nodeName, schedulerName: where the pod has none.
/// 2. nodeSelector: in the order of their keys, the pairs whose keys the pod has not, each onto the
///    result of the one before. One with which no node could meet any of the pod's required terms
///    is skipped, where a node can meet one without it.
/// 3. Tolerations, preferred terms, pod affinity and anti-affinity terms: those that the pod does
///    not have yet, after its own. A required pod affinity term is skipped where the pod requires
///    anti-affinity to the same: topology key, label selector, namespaces and label keys; and the other
///    way round. A toleration of a taint of DefaultTolerationSeconds (not-ready, unreachable; NoExecute)
///    takes the place of the one for 300 seconds that the API server adds, because Kubernetes takes the
///    first that matches. What a RuntimeClass or another policy of the cluster gives to the pod stays.
/// 4. Required node selector terms, after the nodeSelector: where the pod has none, the policy's.
///    Otherwise every term of the pod with every term of the policy, the policy's expressions
///    first, each only once. A term of the pod that holds all expressions of some term of the
///    policy stays as it is, so injecting twice changes nothing. An empty term matches no node and
///    is left out; where a pod has only such terms, one stays.
/// 5. Of the terms that a policy adds those are skipped that no node can meet together with the
///    pod's nodeSelector, where a node can meet the pod's own term. Where that leaves nothing that
///    a node can meet, the pod's terms stay as they were. So no policy makes a pod that a node can
///    meet into one that none can, but for 6.
/// 6. In 2 and 5 Gt and Lt count as Exists: like kupid this merges whatever numbers they compare.
///    With `pool Gt 24` in it no node meets a pod that has `pool: web`; an engine warns of it.
///
/// What all policies that apply give together is at most `max_given_items`; beyond it nothing is
/// injected, and the pod is denied.
///
/// What is skipped is reported, the required terms of a policy as one. Two terms take n log n of the
/// expressions of keys that both have; all products count towards `max_merged_term_bytes`.
///
/// Which policies apply, and in which order, is in `compile.hpp`. Source: the kupid README and
/// webhook, which however widens an empty term to all nodes.

#include <schedpol/pod_scheduling_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// What of a policy conflicts with what the pod has, and is not injected.
struct Skipped {
  std::string policy{};
  FieldPath field{};
  std::string reason{};

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

/// What became of a pod. With `errors` the pod came back as it was, and `applied` names the policy
/// that could not be, or all that
/// apply where they are too much together.
struct Injection {
  Pod pod{};
  std::vector<std::string> applied{};  ///< the policies that selected the pod, in their order
  std::vector<Skipped> skipped{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// The pod, or pod template, with everything that the policies which select it inject. `in` is its
/// namespace; another one is an error. Where `default-scheduler` counts as unspecified, the first policy
/// that names a scheduler replaces it. Policies that give more than `max_given_items` together are an
/// error. A policy that would give the pod more than
/// `max_node_selector_terms` required terms, other than those it brought, is an error, and so is one
/// with which the terms that policies make get longer than `max_merged_term_bytes`, and a pod that was
/// moved from.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified,
                               ChangeValues values = ChangeValues::shown);

/// The same of policies that are compiled first; where they cannot be, the pod comes back as it
/// was, with the errors.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in,
                               std::span<const PodSchedulingPolicy> policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same as the first, in place, for a caller that keeps the pod as it came: `injection` has the pod, and
/// nothing else yet. `kept` are tolerations whose place no other takes: those of the pod's RuntimeClass.
/// Where there are `errors` its pod is half changed, and nothing to go on with.
void inject_into(Injection& injection, const Namespace& in, const CompiledPolicies& policies,
                 DefaultScheduler default_scheduler, ChangeValues values,
                 std::vector<Toleration> kept = {});

/// An injection as an admission, to be chained with those of other systems: allowed with its
/// changes, or denied: with `InvalidPolicy` where a policy cannot be evaluated, with `LimitExceeded`
/// where policies give too much or make too many node selector terms. What is skipped as conflicting
/// denies nothing, and is a warning.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same of policies that are compiled first; denied with one `InvalidPolicy` an error when they
/// cannot be, each naming the policy that it is of.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in,
                              std::span<const PodSchedulingPolicy> policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// What an injection comes to: one `InvalidPolicy` or `LimitExceeded` an error, otherwise allowed. It knows the pod
/// only as it is now; to be chained, the admission needs the pod as it came, in `before`.
[[nodiscard]] Admission to_admission(Injection&& injection);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/admit.ipp>
#endif
