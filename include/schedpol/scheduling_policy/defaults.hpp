// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name, when the pod has none;
/// 2. the priority class name, when it has none; `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses others;
/// 3. the node selector, key by key, but for the keys of a template that `added_to_pods` has;
/// 4. the tolerations, when the pod has none but exempt ones: each default that it does not have;
/// 5. the affinity, mode by mode of each kind, where the pod has no terms in the mode.
///
/// Kubernetes ORs required node terms. Where they are listed in `required` and every term of the
/// pod has to hold them, a default of several is given
/// 6. as it is, where each of its terms holds what is required;
/// 7. otherwise as one term with all their expressions, equal ones once, empty terms left out;
/// 8. not at all where no node can meet that term. `analyze` says so.
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

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`; idempotent. An affinity is one change, of the kind
/// where the pod has nothing of it, otherwise of the mode. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/defaults.ipp>
#endif
