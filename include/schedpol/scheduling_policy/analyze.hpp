// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about a set of scheduling policies, as it is merged for one user:
/// 1. DefaultDenied: a default that the set itself denies; the pod takes it.
/// 2. RequirementUnmet: a requirement that nothing meets: a key without values, a pattern that
///    matches nothing.
/// 3. RequirementLost: a requirement that an earlier policy's hides in the merge; the pod is
///    allowed and does not meet it. EntryLost: the same of what is allowed or given.
/// 4. EntryCovered: a pattern of tolerations or node affinity in `allowed`, all of which other
///    patterns permit.
/// 5. RequirementEscaped: under `RequiredAffinity::present`, the pod has a term besides the required
///    one.
/// 6. StrategiesDisagree: another merge strategy allows or denies the pod.
/// 7. EveryPodDenied, EveryPodAllowed. Not said of no policies at all.
/// 8. NullEntry: a null where, once it is dropped, an empty map says any.
///
/// Each pod is what `compare` shows it with: it is confirmed by `admit`.

#include <schedpol/core/finding.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <span>
#include <vector>

namespace schedpol::scheduling_policy {

/// In the order of the list above. What takes too much to compare is NotDecided, and so are more
/// than `max_reported_errors` lost entries and the patterns of a list of more than 200.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

}  // namespace schedpol::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/analyze.ipp>
#endif
