// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name and the runtime class name, if the pod has none;
/// 2. the priority class name, if the pod has none. `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses other values;
/// 3. the node selector, key by key, except keys to which the pod's RuntimeClass or a
///    ClusterPodSchedulingPolicy gives another value;
/// 4. the tolerations, if the pod has only exempt ones: each default that the pod lacks. A default with
///    the key and effect of one of DefaultTolerationSeconds' two replaces it, because Kubernetes takes
///    the first toleration that matches. If a class, a cluster policy or the DaemonSet controller adds
///    a toleration of that taint, the default would have no effect and is not given;
/// 5. the affinity, for each kind and mode in which the pod has only exempt terms. Required node terms
///    are combined with the exempt ones as a cross product (`pod_scheduling_policy/admit.hpp`, rules
///    4 and 5); other terms are added after them.
///
/// No default contradicts what the pod has, or what its class and cluster policies add to it:
/// 6. A node selector pair is not given if no node can meet it together with one of the required
///    node terms.
/// 7. Required node terms are given after the node selector. An expression is left out if no node can
///    meet it together with the node selector and the exempt terms; the whole term is left out if no
///    node can meet its rest. A term that no node can meet by itself is not checked.
/// 8. A required pod affinity term is left out if the pod has an equal anti-affinity term, and the other
///    way round, unless the default itself has both.
/// A warning names what is left out or has no effect, and what it contradicts.
///
/// Kubernetes ORs required node terms. If `required` lists node terms that every term of the pod must
/// satisfy, and rule 7 leaves several terms of a default, then they are given
/// 9. as they are, if each of them satisfies the requirement;
/// 10. otherwise as one term with all their expressions, equal ones once, empty terms left out;
/// 11. not at all if no node can meet that one term. `analyze` reports it.
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
  std::vector<Warning> warnings{};  ///< about defaults that are not given

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`. Idempotent, except that it warns again. An affinity is one
/// change if the pod has nothing of its kind, otherwise one for each mode. A change names the first of the
/// policies that the default came from. An effective policy without defaults, such as an empty or
/// ambiguous one, changes nothing. This does not decide whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

/// The pod with the default runtime class alone. If you ask other systems, too, call this first: what a
/// class adds to the pod depends on it.
[[nodiscard]] Defaulted apply_default_runtime_class(Pod pod, const EffectivePolicy& effective,
                                                    const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/defaults.ipp>
#endif
