// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about MetadataPolicies although each is valid:
/// 1. SelectsNothing: no metadata satisfies a predicate.
/// 2. UpdatesIgnored: a rule rejects what it selects, and also lists updates.
/// 3. SelectedLabelOverwritten: the label selector of a rule requires a label, and the rule changes it
///    to a value that the selector does not match. A workload that selects its pods by this label loses
///    them, and the API server refuses the workload.
/// 4. NeverFires: a rule updates, but everything that its predicate selects is rejected.
/// 5. WritesDiffer: two rules of one namespace can match the same object, which is not rejected, and
///    write different values to the same key. The later write wins.

#include <schedpol/insight/finding.hpp>
#include <schedpol/metadata_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Findings in the order of this list; for each rule the first with each code. Only the metadata of
/// objects counts, without what `choose_scheduler` writes into that of pods. Policies with errors of
/// `validate` are left out. What takes more than `max_insight_steps` is
/// NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_metadata_policies.ipp>
#endif
