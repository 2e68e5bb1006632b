// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How several usable policies become one set of rules. Policies count in the byte order of their
/// names, however you give them. A policy given twice counts once.
///
/// 1. `smart_deep_merge`: in `required` and `default`, the first policy with an entry wins. An entry is
///    a list of names or tolerations, one node selector key, or one mode of one kind of affinity. A mode
///    that is `any` is an entry, too; a kind that is `any` has no modes, so modes of later policies join
///    it. `allowed` adds up at every level, in order of first appearance, without duplicates; `any`
///    absorbs everything else at its level.
/// 2. `first_seen_wins`: the first policy alone.
/// 3. `simple_merge`: for each second-level entry (`required.nodeSelectors`, ...), the first policy wins.
///
/// A field of `required` that is `any`, and an empty field of `default`, count as absent: they never hide
/// another policy's field (`validate` refuses them). A list without items counts as absent, too, and never
/// becomes `any`. The exception is a list of names in `required` (schedulers, priority and runtime classes):
/// without names it stays, no pod meets it, and it hides those of later policies. Source: the
/// SchedulingPolicy proposal, "Multiple SchedulingPolicies considerations".

#include <schedpol/scheduling_policy/effective_policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The strategies of the rules above.
enum class MergeStrategy { smart_deep_merge, first_seen_wins, simple_merge };

/// `SmartDeepMerge`, `FirstSeenWins`, `SimpleMerge`.
[[nodiscard]] std::string_view to_string(MergeStrategy strategy) noexcept;

/// The rules of all `policies` together, compiled for lookup. Without policies, the result denies
/// everything (`NoUsablePolicy`). Two equal policies with the same name count once. Two different ones
/// make a result that denies everything (`AmbiguousPolicy`), whatever the strategy: to pick either
/// would lose the other's requirements. A strategy that is none of the three also denies everything.
/// Takes n log n in the size of the policies.
[[nodiscard]] EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                    MergeStrategy strategy = MergeStrategy::smart_deep_merge);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/merge.ipp>
#endif
