// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether `admit` by one effective policy allows all pods that it allows by another. The answer is exact.
/// Each component (each name, each node selector key, the tolerations, each kind of affinity) is compared
/// by itself, with all values that the entries of the two policies distinguish. Node selector and node
/// affinity interact if a default contradicts a pair, or an exempt pair meets a requirement; such pairs
/// are tried one by one (`compared_pairs`). An empty set of pods is a subset of every other set.

#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How the pods that are allowed after a change relate to those before it.
enum class Relation {
  equivalent,    ///< the same pods
  stricter,      ///< fewer pods
  looser,        ///< more pods
  incomparable,  ///< some pods are no longer allowed, and others newly are
};

/// `Equivalent`, `Stricter`, `Looser`, `Incomparable`.
[[nodiscard]] std::string_view to_string(Relation relation) noexcept;

/// A pod that `admit` allows only before, if there is one, and a pod that it allows only after.
struct Comparison {
  Relation relation = Relation::incomparable;
  std::optional<Pod> allowed_before{};
  std::optional<Pod> allowed_after{};

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// An error if the comparison takes more than `max_insight_steps`, or if another component cancels out
/// every difference of one component.
[[nodiscard]] Result<Comparison> compare(const EffectivePolicy& before,
                                         const EffectivePolicy& after,
                                         const Options& options_before = {},
                                         const Options& options_after = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/compare.ipp>
#endif
