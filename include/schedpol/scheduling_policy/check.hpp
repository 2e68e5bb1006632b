// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether an effective policy permits a pod as it stands, and if not, every violation. A policy permits
/// what its `required`, `allowed` or `default` says: what it requires is allowed, and so is what it
/// injects itself. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` if the pod has none): if any names are required, it is one of
///    them. Otherwise it is permitted.
/// 2. Node name: allowed only if `allowed.schedulerNames` is any.
/// 3. Priority class name: like the scheduler name. A pod without one can break only a requirement.
/// 4. Node selector: each required key has one of the listed values. Each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern. One without an
///    effect must do so for each of the three effects. Then each required pattern matches a toleration
///    of the pod, or one that a toleration of a class or cluster policy covers.
/// 6. Affinity, by kind and mode: the policy permits any, or the terms are a default, or every expression
///    (of pod terms: the topology key) matches a pattern of the kind, mode and list. The terms are a
///    default as written, as this pod gets it, or as it got it before the cluster contradicted more of it:
///    it may still have parts that only exclude nodes, and may lack terms that no node meets beside the
///    cluster's if a node meets another term. Then requirements hold, those on required node affinity in
///    every term of the pod, because Kubernetes ORs terms.
/// 7. Runtime class name: like the priority class name.
/// 8. Topology spread constraints: for each, one allowed pattern matches both its topology key and its
///    `whenUnsatisfiable`.
/// 9. Scheduling gates and resource claims: the name of each gate, claim or claim template is allowed.
///    Only `any` allows one without a name.
///
/// A component that `Options::governs` does not have needs no permission, but still has to meet
/// requirements. The same holds for exempt items (`Options`). The global default priority class counts as
/// no class. A toleration or expression with an operator or effect unknown to Kubernetes, and an
/// expression without an operator, is never permitted. Source: the SchedulingPolicy proposal, "Detailed
/// Design".

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Every violation of the pod; none if it is allowed. A moved-from pod has one, `MovedFrom`, here and in
/// `check_update`. Allocates nothing if there are no violations, unless the pod has a part of a default
/// affinity that would otherwise be left out. Names, node selector pairs and keys of patterns are found by
/// lookup, however many there are. Each toleration and expression is compared with all patterns for its
/// key or any key, and with all requirements.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                           const Options& options);

/// The same with default options.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective);

/// The violations of an updated pod or template that `old` did not have. Violations are the same if they
/// have the same code, value and field; list indices do not count, because an update may shift them. So
/// a newer policy never blocks a metadata edit of a running pod, but an added toleration is always
/// checked. Without a usable policy, or with an ambiguous one, the result is the one violation of
/// `check`, if the update asks for anything that `old` did not.
[[nodiscard]] std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                  const EffectivePolicy& effective,
                                                  const Options& options = {});

/// The same if `old` has other policies, because another user runs it, or other options, because the
/// cluster adds something else to it.
[[nodiscard]] std::vector<Violation> check_update(
    const Old<Pod>& old, const EffectivePolicy& effective_for_old, const Options& options_for_old,
    const Pod& updated, const EffectivePolicy& effective, const Options& options);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/check.ipp>
#endif
