// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod, as it stands, is permitted by an effective policy, and if not, everything that is
/// wrong with it. Permitted is what `required`, `allowed` or `default` says: what is required is
/// allowed, and so is what a policy itself injects. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` when the pod has none): one of the required, where any
///    are required; otherwise permitted.
/// 2. Node name: allowed only where `allowed.schedulerNames` is any.
/// 3. Priority class name: as the scheduler name; a pod without one breaks only a requirement.
/// 4. Node selector: each required key is there with a listed value; each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern, or has no
///    effect and does so for each of the three effects. Then each required pattern is matched by
///    one, or one of a class or cluster policy covers one that it matches.
/// 6. Affinity, per kind and mode: permitted whole (any, or equal to the default's, as it is
///    written, as it is given to this pod, or as it was given before the cluster contradicted more of
///    it: with parts of the default besides that only keep nodes away, without terms that no node meets
///    beside the cluster's where a node meets another), or every expression (for pods: topology key)
///    matches a pattern of the kind, mode and list. Then what is required holds; required node affinity
///    in every term of the pod, because Kubernetes ORs them.
/// 7. Runtime class name: as the priority class name.
/// 8. Topology spread constraints: one pattern that is allowed matches both what each is spread over
///    and what is done where no node satisfies it.
/// 9. Scheduling gates and resource claims: the name of each is allowed, of a claim or of a template of
///    claims. What names nothing only `any` allows.
///
/// Of what `Options::governs` does not have nothing is denied for want of permission, only for want of
/// what is required. What is exempt (`Options`) needs to be permitted by no rule, and counts like everything else for
/// what is required. The global default priority class is none. A toleration or expression with an
/// operator or effect that Kubernetes does not know, and an expression without an operator, is
/// never permitted. Source: the SchedulingPolicy proposal, "Detailed Design".

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Every violation of the pod, none when it is allowed; of one that was moved from `MovedFrom`, here
/// and in `check_update`. Allocates nothing when there is none, unless the pod has a part of a default of
/// affinity that was left out otherwise. Names,
/// node selector pairs and the keys of patterns are looked up, however many there are; a toleration
/// or expression is compared with every pattern of its key and of any key, and with all that is
/// required.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                           const Options& options);

/// The same with the options as they are by default.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective);

/// What an update of a pod or template adds that is not permitted: the violations of `updated` that
/// `old` did not have, told apart by code, field without the indices of its lists, which an update may
/// shift, and value. So a metadata edit of a running pod is not refused for a policy that came later,
/// while an added toleration is always checked. Without any usable policy, or with an ambiguous one,
/// that is the one violation of `check`, when the update asks for anything that `old` did not.
[[nodiscard]] std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                  const EffectivePolicy& effective,
                                                  const Options& options = {});

/// The same where `old` is judged by other policies, because another user runs it, or with other
/// options, because the cluster adds something else to it.
[[nodiscard]] std::vector<Violation> check_update(
    const Old<Pod>& old, const EffectivePolicy& effective_for_old, const Options& options_for_old,
    const Pod& updated, const EffectivePolicy& effective, const Options& options);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/check.ipp>
#endif
