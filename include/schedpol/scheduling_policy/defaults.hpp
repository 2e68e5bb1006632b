// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name, and the runtime class name, when the pod has none;
/// 2. the priority class name, when it has none; `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses others;
/// 3. the node selector, key by key, but for the keys that the pod's RuntimeClass or a
///    ClusterPodSchedulingPolicy gives another value;
/// 4. the tolerations, when the pod has none but exempt ones: each default that it does not have. One
///    with the key and effect of one of DefaultTolerationSeconds' two takes its place, because
///    Kubernetes takes the first that matches. Where a class, a cluster policy or the DaemonSet
///    controller gives one to that taint, the default would have no effect, and is not given;
/// 5. the affinity, mode by mode of each kind, where the pod has no terms in the mode but exempt
///    ones. To these it is added: required node terms as their cross product
///    (`pod_scheduling_policy/admit.hpp`, rules 4 and 5), others after them.
///
/// No default contradicts what the pod has, or what its class and cluster policies add to it:
/// 6. A pair of the node selector is not given where no node can meet it together with one of the
///    required node terms.
/// 7. After the node selector, expressions of the required node terms that no node can meet together
///    with that and with the exempt terms are left out by themselves where the rest of their term can
///    be met, otherwise the term. A term that no node can meet by itself is not looked at.
/// 8. A required pod (anti-)affinity term is left out where the pod has the equal one of the other
///    kind, unless the default itself has both.
/// What is left out, and a toleration without effect, is a warning, which names what it contradicts.
///
/// Kubernetes ORs required node terms. Where they are listed in `required` and every term of the
/// pod has to hold them, what 7 leaves of a default of several is given
/// 9. as it is, where each of its terms holds what is required;
/// 10. otherwise as one term with all their expressions, equal ones once, empty terms left out;
/// 11. not at all where no node can meet that term. `analyze` says so.
///
/// Source: the SchedulingPolicy proposal, "default".

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// A pod with its defaults, and what they changed.
struct Defaulted {
  Pod pod{};
  std::vector<Change> changes{};
  std::vector<Warning> warnings{};  ///< of what is not given

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`; idempotent, but that it warns again. An affinity is one
/// change, of the kind where the pod has nothing of it, otherwise one of each mode. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

/// The pod with the default runtime class alone. Whoever asks other systems too gives it first: what a
/// class adds to a pod depends on it.
[[nodiscard]] Defaulted apply_default_runtime_class(Pod pod, const EffectivePolicy& effective,
                                                    const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/defaults.ipp>
#endif
