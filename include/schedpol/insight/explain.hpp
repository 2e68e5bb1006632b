// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Why `admit` decides on a pod as it does: one item for everything that it looks at, in the order
/// of `check`, with the entries of the policies that decided.
///
/// 1. The items with a denying ruling are the violations of `admit`, one to one and in order.
/// 2. The Defaulted items are the changes of `apply_defaults`; what was given is not shown once
///    more where it is permitted.
/// 3. Every entry stands in the policy that is named, as that policy writes it. At most
///    `max_shown_names` are named for an item.
/// 4. An entry that another policy's hid in the merge is shown once, at the first item that it is
///    about.

#include <schedpol/core/admission.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// What became of an item.
enum class Ruling {
  permitted,
  permitted_by_default,  ///< by nothing but being what a default gives
  defaulted,             ///< given by a default
  required,              ///< required, and met
  exempt,                ///< the cluster's doing: it needs no permission
  ungoverned,            ///< permitted by no policy, and `Options::governs` does not ask for one
  not_permitted,         ///< denying
  requirement_missing,   ///< denying
};

/// `Permitted`, `PermittedByDefault`, ...
[[nodiscard]] std::string_view to_string(Ruling ruling) noexcept;
[[nodiscard]] bool denies(Ruling ruling) noexcept;

/// An entry of one policy, a place below its `spec`; `value` only where it lost.
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
  std::string_view permits_only{};  ///< what is permitted of it, where that is not all

  friend bool operator==(const ExplainedItem&, const ExplainedItem&) = default;
};

/// Default-constructed it is that of a denial.
struct Explanation {
  Allowed allowed{};
  std::vector<ExplainedItem> items{};
};

/// Looks at every item that `check` looks at, in its order. Where no policy decides, and of a pod that
/// was moved from, the one item is what `check` denies.
[[nodiscard]] Explanation explain(const Pod& pod, const EffectivePolicy& effective,
                                  const Options& options = {});

/// The same of a pod that is judged as it stands and gets no defaults: the items with a denying ruling
/// are the violations of `check`.
[[nodiscard]] Explanation explain_check(const Pod& pod, const EffectivePolicy& effective,
                                        const Options& options = {});

/// Of a pod as it stands what no policy permits and nothing denies, because `Options::governs` does not
/// have it.
[[nodiscard]] std::vector<ExplainedItem> find_ungoverned(const Pod& pod,
                                                         const EffectivePolicy& effective,
                                                         const Options& options = {});

/// An aligned table, the denied lines first; at most `max_reported_errors` lines.
[[nodiscard]] std::string message(const Explanation& explanation);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/explain.ipp>
#endif
