// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the policies that apply to a pod, or to the pod template of a workload, are merged into it.
/// The pod's own criteria win; policies add only what does not conflict with them:
///
/// 1. nodeName, schedulerName: if the pod has none.
/// 2. nodeSelector: the pairs whose keys the pod lacks, in the order of their keys. Each pair is checked
///    against the result of the one before. A pair is skipped if no node could meet any of the pod's
///    required terms with it, and a node could without it.
/// 3. Tolerations, preferred terms, pod affinity and anti-affinity terms: those that the pod lacks, after
///    its own. A required pod affinity term is skipped if the pod requires anti-affinity with the same
///    topology key, label selector, namespaces and label keys, and the other way round. A toleration of
///    a taint of DefaultTolerationSeconds (not-ready, unreachable; NoExecute) replaces the one for 300
///    seconds that the API server adds, because Kubernetes takes the first toleration that matches. It
///    does not replace one that a RuntimeClass or another cluster policy gives to the pod.
/// 4. Required node selector terms, after the nodeSelector. A pod without such terms gets the policy's.
///    Otherwise every term of the pod is combined with every term of the policy: the policy's expressions
///    first, each only once. A term of the pod that has all expressions of some term of the policy stays
///    as it is, so a second injection changes nothing. An empty term matches no node and is left out; if
///    a pod has only empty terms, one stays.
/// 5. A combined term is skipped if no node can meet it together with the pod's nodeSelector, and a node
///    can meet the pod's own term. If no term is left that a node can meet, the pod's terms stay as they
///    were. So if a node can meet the pod before, a node can meet it afterwards, except for rule 6.
/// 6. In rules 2 and 5, Gt and Lt count as Exists: like kupid, this ignores the numbers that they compare.
///    No node meets a pod with `pool: web` and an injected `pool Gt 24`; an engine warns about it.
///
/// All policies that apply give at most `max_given_items` together. If they give more, nothing is
/// injected and the pod is denied.
///
/// Everything that is skipped is reported; the required terms of a policy count as one item. To combine
/// two terms takes n log n in the expressions with common keys. `max_merged_term_bytes` limits all
/// combined terms together.
///
/// `compile.hpp` says which policies apply, and in which order. Source: the kupid README and
/// webhook; unlike this, the webhook widens an empty term to all nodes.

#include <schedpol/pod_scheduling_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// A part of a policy that conflicts with the pod and is not injected.
struct Skipped {
  std::string policy{};
  FieldPath field{};
  std::string reason{};

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

/// The result for a pod. If there are `errors`, the pod is as it came, and `applied` names the policy
/// that could not be applied, or all that apply if together they give too much.
struct Injection {
  Pod pod{};
  std::vector<std::string> applied{};  ///< the policies that select the pod, in their order
  std::vector<Skipped> skipped{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// The pod, or pod template, with everything that the policies which select it inject. `in` must be its
/// namespace; another one is an error. If `default-scheduler` counts as unspecified, the first policy
/// that names a scheduler replaces it. These are errors, too: policies that give more than
/// `max_given_items` together; a policy that would give the pod more than `max_node_selector_terms`
/// required terms besides those that it came with; a policy with which the combined terms exceed
/// `max_merged_term_bytes`; a moved-from pod.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified,
                               ChangeValues values = ChangeValues::shown);

/// The same, but compiles the policies first. If they do not compile, returns the pod as it came and
/// the errors.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in,
                               std::span<const PodSchedulingPolicy> policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The first `inject`, in place, for a caller that keeps a copy of the pod: `injection` has the pod and
/// nothing else. No other toleration replaces one of `kept`, those of the pod's RuntimeClass. If there are
/// `errors`, the pod in `injection` may be half changed; do not use it.
void inject_into(Injection& injection, const Namespace& in, const CompiledPolicies& policies,
                 DefaultScheduler default_scheduler, ChangeValues values,
                 std::vector<Toleration> kept = {});

/// The injection as an admission, to chain with those of other systems. It is denied with `InvalidPolicy`
/// if a policy cannot be evaluated, and with `LimitExceeded` if policies give too much or make too many
/// node selector terms. Otherwise it is allowed, with the changes. What is skipped as conflicting is a
/// warning.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error, which names its policy.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in,
                              std::span<const PodSchedulingPolicy> policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The injection as an admission: allowed, or denied with one `InvalidPolicy` or `LimitExceeded` an error.
/// An injection does not keep the pod as it came. To chain the admission, set `before` to that pod.
[[nodiscard]] Admission to_admission(Injection&& injection);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/pod_scheduling_policy/impl/admit.ipp>
#endif
