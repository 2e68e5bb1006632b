// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits of a pod after which `admit` allows it. One edit sets or clears a name, sets or
/// removes a pair of the node selector, or adds, removes or replaces one toleration or one term of
/// an affinity; what the API server derives from a priority class goes with it. Of as few edits,
/// those are made that keep more of what the pod says: what is not permitted is removed before it
/// is replaced, unless what is required takes its place, and of a term of node affinity only the
/// expressions that are not permitted go. Where a default of required node terms stands beside exempt
/// ones, a fix of one edit is found (among `max_single_edits`), and one of several may be one too many.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The pod as its author would have to write it, before any default, and the edits in the order of
/// `check`, which no policy is named for. An item that is added is named at its place in that pod,
/// one that is removed or replaced at the place it had. None for a pod that is allowed.
struct Fix {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Fix&, const Fix&) = default;
};

/// Nothing where no edit helps: nothing that is permitted is what is required too, or the pod was
/// moved from. An error where it takes more than `max_insight_steps` to find out, or the pod does not
/// meet more than `max_fixed_requirements` on tolerations.
[[nodiscard]] Result<Optional<Fix>> nearest_fix(const Pod& pod, const EffectivePolicy& effective,
                                                const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/nearest_fix.ipp>
#endif
