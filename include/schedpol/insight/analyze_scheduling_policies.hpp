// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about a set of SchedulingPolicies, as merged for one user. `admit` confirms the pod that a
/// finding shows, as in `compare`:
/// 1. DefaultDenied: the set itself denies its default; the pod gets it. DefaultNotGiven: not every
///    required node term of the default meets what is required, and no node can meet all terms together;
///    the pod lacks the default.
/// 2. RequirementUnmet: nothing meets a requirement, because a key has no values or a pattern matches
///    nothing.
/// 3. RequirementLost: an earlier policy hides a requirement in the merge; the pod is allowed and does not
///    meet it. EntryLost: the same for an entry of `allowed` or a default.
/// 4. RequirementEscaped: under `RequiredAffinity::present`, the pod has another term besides the required
///    one.
/// 5. StrategiesDisagree: another merge strategy decides differently on the pod. Not reported for policies
///    that only allow and are merged by `smart_deep_merge`, because their entries add up.
/// 6. EveryPodDenied, EveryPodAllowed. Not reported if there are no policies.
/// 7. EntryCovered: other patterns permit everything that a pattern of tolerations or node affinity in
///    `allowed` permits.
/// 8. NullEntry: braces with nothing but nulls. `kubectl apply` drops the nulls, and the empty braces that
///    are left mean any.
/// 9. EntryMatchesNothing: `keys`, `operators` or `effects` are absent in a pattern of tolerations or node
///    affinity; `[]` would be any.
/// 10. Ungoverned: `allowed` lists values of a field that `Options::governs` does not have. This looks like
///    a restriction and is none.
/// With grantees, these are found for each set that somebody may use, and also:
/// 11. GrantAddsRequirements: the pod is denied, but the other policies without this one would allow it.
/// 12. GrantedToNobody: nobody may use the policy, so it is in no set. Findings 1 and 2 are reported for
///    each policy by itself, too, whoever may use it.

#include <schedpol/insight/finding.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Findings in the order of this list. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

/// A user, or a group of users, that may use some of the policies.
struct Grantee {
  std::string whose{};  ///< its name in texts: `service account shop/web`
  Texts policies{};     ///< the names of the policies
  Pod pod{};            ///< one of its pods: the namespace and service account of witnesses

  friend bool operator==(const Grantee&, const Grantee&) = default;
};

/// The same for the set of each grantee in turn. What is found in several sets is reported once.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           std::span<const Grantee> grantees,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_scheduling_policies.ipp>
#endif
