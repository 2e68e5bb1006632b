// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether one effective policy allows all pods that another allows, decided under `admit` and
/// exactly: component by component (each name, each key of the node selector, the tolerations, each
/// kind of affinity), over what the entries of the two tell apart. Node selector and node affinity
/// meet where a default contradicts a pair, or an exempt pair meets a requirement: such pairs are
/// tried one by one (`compared_pairs`). An empty set of pods is within every other.

#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// What becomes of the pods that are allowed.
enum class Relation {
  equivalent,    ///< they are the same
  stricter,      ///< they are fewer
  looser,        ///< they are more
  incomparable,  ///< some are allowed no more, and others now are
};

/// `Equivalent`, `Stricter`, `Looser`, `Incomparable`.
[[nodiscard]] std::string_view to_string(Relation relation) noexcept;

/// `allowed_before`: a pod that `admit` allows only before, where there is one; the other: only after.
struct Comparison {
  Relation relation = Relation::incomparable;
  std::optional<Pod> allowed_before{};
  std::optional<Pod> allowed_after{};

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// An error where it takes more than `max_insight_steps` to find out, or where all that one component
/// tells apart is evened out by another.
[[nodiscard]] Result<Comparison> compare(const EffectivePolicy& before,
                                         const EffectivePolicy& after,
                                         const Options& options_before = {},
                                         const Options& options_after = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/compare.ipp>
#endif
