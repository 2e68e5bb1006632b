// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about a set of scheduling policies, as it is merged for one user:
/// 1. DefaultDenied: a default that the set itself denies; the pod takes it. DefaultNotGiven: not
///    each of its required node terms holds what is required, and no node can meet them together;
///    the pod lacks it.
/// 2. RequirementUnmet: a requirement that nothing meets: a key without values, a pattern that
///    matches nothing.
/// 3. RequirementLost: a requirement that an earlier policy's hides in the merge; the pod is
///    allowed and does not meet it. EntryLost: the same of what is allowed or given.
/// 4. RequirementEscaped: under `RequiredAffinity::present`, the pod has a term besides the required
///    one.
/// 5. StrategiesDisagree: another merge strategy allows or denies the pod. Not of policies that only
///    allow and are merged by `smart_deep_merge`: their entries add up.
/// 6. EveryPodDenied, EveryPodAllowed. Not said of no policies at all.
/// 7. EntryCovered: a pattern of tolerations or node affinity in `allowed`, all of which other
///    patterns permit.
/// 8. NullEntry: nothing but nulls in what is written in braces; once they are dropped, which
///    `kubectl apply` does, empty braces say any.
/// 9. EntryMatchesNothing: a pattern of tolerations or node affinity whose `keys`, `operators` or
///    `effects` are absent; `[]` is any.
/// 10. Ungoverned: `allowed` lists something of a field that `Options::governs` does not have. It reads
///    as a wall and is none.
/// Where it is known who may use which policy, of each set that somebody may use, and besides:
/// 11. GrantAddsRequirements: without the policy the pod is allowed by the others.
/// 12. GrantedToNobody: nobody may use the policy, so that it is in no set. What 1 and 2 find is said
///    of each policy by itself too, whoever may use it.
///
/// Each pod is what `compare` shows it with: it is confirmed by `admit`.

#include <schedpol/insight/finding.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// In the order of the list above. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

/// Those who may use some of the policies.
struct Grantee {
  std::string whose{};  ///< what a text calls them: `service account shop/web`
  Texts policies{};     ///< by name
  Pod pod{};            ///< one of theirs: the namespace and service account of witnesses

  friend bool operator==(const Grantee&, const Grantee&) = default;
};

/// The same of the set of each of them in turn; what is found of several sets is said once.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           std::span<const Grantee> grantees,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_scheduling_policies.ipp>
#endif
