// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How several usable policies become one set of rules. Policies count in byte order of their
/// names, so the order in which they are given does not matter, nor does giving one twice.
///
/// 1. `smart_deep_merge`: `required` and `default` are first-seen-wins per sub-key (a name list
///    or a toleration list is one; node selectors per key; affinities per kind, then per mode: a
///    kind given as `any` has no modes of its own, so later ones join it; a mode, even `any`, is
///    one). `allowed` is additive at every level; "any" absorbs the rest at the level where it
///    stands; order of first sight, no duplicates.
/// 2. `first_seen_wins`: the first policy, alone.
/// 3. `simple_merge`: first-seen-wins per second-level entry (`required.nodeSelectors`, ...).
///
/// A field of `required` that is "any" and an empty field of `default`, which `validate` refuses,
/// count as absent: they never hide another policy's. So does what lists nothing, and never becomes
/// "any"; but lists of names in `required` (schedulers, priority and runtime classes) that list none stay: no
/// pod meets them, and they hide those of later policies. Source: the SchedulingPolicy proposal,
/// "Multiple SchedulingPolicies considerations".

#include <schedpol/scheduling_policy/effective_policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The strategies of the rules above.
enum class MergeStrategy { smart_deep_merge, first_seen_wins, simple_merge };

/// `SmartDeepMerge`, `FirstSeenWins`, `SimpleMerge`.
[[nodiscard]] std::string_view to_string(MergeStrategy strategy) noexcept;

/// The rules of all `policies` together, in a form made for lookup. Of no policies at all, the
/// result denies everything (`NoUsablePolicy`). Two equal policies of one name count once; two
/// different ones make a result that denies everything (`AmbiguousPolicy`), whatever the strategy,
/// because whichever were picked, the other's requirements would be lost. So does a strategy that is
/// none of the three. Takes n log n in the size of the policies.
[[nodiscard]] EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                    MergeStrategy strategy = MergeStrategy::smart_deep_merge);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/merge.ipp>
#endif
