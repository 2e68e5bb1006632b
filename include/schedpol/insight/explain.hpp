// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Why `admit` decides on a pod as it does: one item for everything that it checks, in the order of
/// `check`, with the policy entries that decided.
///
/// 1. The items with a denying ruling are the violations of `admit`, one to one and in order.
/// 2. The Defaulted items are the changes of `apply_defaults`. A permitted default has no second
///    item.
/// 3. Every entry is in the named policy, as that policy writes it. An item names at most
///    `max_shown_names` entries.
/// 4. An entry that another policy hid in the merge is shown once, at the first item that it is
///    about.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The ruling on an item.
enum class Ruling {
  permitted,
  permitted_by_default,  ///< permitted only because it equals a default
  defaulted,             ///< given by a default
  required,              ///< meets a requirement
  exempt,                ///< added by the cluster, so it needs no permission
  ungoverned,            ///< no policy permits it, and `Options::governs` does not have it
  not_permitted,         ///< denies the pod
  requirement_missing,   ///< denies the pod
};

/// `Permitted`, `PermittedByDefault`, ...
[[nodiscard]] std::string_view to_string(Ruling ruling) noexcept;
[[nodiscard]] bool denies(Ruling ruling) noexcept;

/// An entry of one policy: a path below its `spec`. `value` is set only if the entry lost.
struct PolicyEntry {
  std::string policy{};
  FieldPath entry{};
  std::string value{};

  friend bool operator==(const PolicyEntry&, const PolicyEntry&) = default;
};

/// `field` and `value` as in a violation or a change.
struct ExplainedItem {
  FieldPath field{};
  std::string value{};
  Ruling ruling = Ruling::not_permitted;
  std::vector<PolicyEntry> by{};
  std::vector<PolicyEntry> lost{};
  std::string_view permits_only{};  ///< the part of it that is permitted, if not all

  friend bool operator==(const ExplainedItem&, const ExplainedItem&) = default;
};

/// A default-constructed one explains a denial.
struct Explanation {
  Allowed allowed{};
  std::vector<ExplainedItem> items{};
};

/// Explains every item that `check` checks, in its order. If no policy decides, or the pod was moved from,
/// the only item is the violation of `check`.
[[nodiscard]] Explanation explain(const Pod& pod, const EffectivePolicy& effective,
                                  const Options& options = {});

/// The same for a pod as it stands, without defaults: the items with a denying ruling are the violations
/// of `check`.
[[nodiscard]] Explanation explain_check(const Pod& pod, const EffectivePolicy& effective,
                                        const Options& options = {});

/// The items of a pod as it stands that no policy permits and nothing denies, because `Options::governs`
/// does not have them.
[[nodiscard]] std::vector<ExplainedItem> find_ungoverned(const Pod& pod,
                                                         const EffectivePolicy& effective,
                                                         const Options& options = {});

/// An aligned table, denied items first; at most `max_reported_errors` lines.
[[nodiscard]] std::string message(const Explanation& explanation);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/explain.ipp>
#endif
