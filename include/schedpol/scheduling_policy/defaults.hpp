// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name, when the pod has none;
/// 2. the priority class name, when it has none; `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses others;
/// 3. the node selector, key by key;
/// 4. the tolerations, when the pod has none but exempt ones: each default that it does not have;
/// 5. the affinity, kind by kind, where the pod has no terms of the kind.
///
/// Where required node affinity terms are listed and every term of the pod has to hold them, a
/// default of several required node terms is given as one term with all their expressions: as ORed
/// terms they would not meet the requirement they stand for. Source: the SchedulingPolicy proposal,
/// "default".

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <vector>

namespace schedpol::scheduling_policy {

/// A pod with its defaults, and what they changed.
struct Defaulted {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`; idempotent. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

}  // namespace schedpol::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/defaults.ipp>
#endif
