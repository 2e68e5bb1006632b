// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about MetadataPolicies although each is valid:
/// 1. SelectsNothing: a predicate that no metadata satisfies.
/// 2. UpdatesIgnored: a rule that rejects what it selects, and lists updates besides.
/// 3. SelectedLabelOverwritten: a rule whose label selector needs a label to be there, and that
///    updates it to a value that the selector does not select. A workload whose pods are selected by
///    that label loses them, and the API server refuses it.
/// 4. NeverFires: a rule that updates, and all that its predicate selects is rejected.
/// 5. WritesDiffer: two rules of one namespace can match one object, which is not rejected, and
///    write different values to one of its keys; the later counts.

#include <schedpol/insight/finding.hpp>
#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// In the order of the list above, of each rule the first of a sort. Objects are told by their
/// metadata; what `choose_scheduler` writes into that of pods is not looked at. Policies that
/// `validate` finds something wrong with are left out. What takes more than `max_insight_steps` is
/// NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_metadata_policies.ipp>
#endif
