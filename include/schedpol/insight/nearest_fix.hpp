// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits of a pod after which `admit` allows it. One edit sets or clears a name, sets or
/// removes a node selector pair, or adds, removes or replaces one toleration or one affinity term. An
/// edit of a priority class includes what the API server derives from it. Among equally few edits, the
/// fix keeps more of the pod: it removes what is not permitted, and replaces it only by what is required;
/// from a node affinity term it removes only the expressions that are not permitted. If a default of
/// required node terms is combined with exempt terms, a fix of one edit is found (among
/// `max_single_edits`), but a longer fix may have one edit too many.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The pod as its author would have to write it, before defaults, and the edits in the order of `check`,
/// without policies. The path of an added item is in the new pod; that of a removed or replaced item is in
/// the old pod. No edits for a pod that is allowed.
struct Fix {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Fix&, const Fix&) = default;
};

/// Nothing if no edits help: no permitted value meets a requirement, or the pod was moved from. An error
/// if the search takes more than `max_insight_steps`, or if the pod fails more than
/// `max_fixed_requirements` requirements on tolerations.
[[nodiscard]] Result<Optional<Fix>> nearest_fix(const Pod& pod, const EffectivePolicy& effective,
                                                const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/nearest_fix.ipp>
#endif
