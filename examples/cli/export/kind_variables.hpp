// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of affinity: where they stand, which variables hold their terms, and what a default gives of
/// them.

#include "variables.hpp"

#include <schedpol/scheduling_policy/policy.hpp>

#include <string>
#include <string_view>

namespace cli {

struct KindVariables {
  std::string_view field;        ///< `nodeAffinity`
  std::string_view rules_field;  ///< `nodeAffinities`
  std::string_view required;     ///< the variables of both modes
  std::string_view preferred;
  std::string_view part;  ///< what of a preferred term the rules are about

  /// Where it stands below the pod spec, or a mode of it.
  [[nodiscard]] std::string path(std::string_view mode = {}) const {
    return "affinity." + std::string(field) + (mode.empty() ? "" : "." + std::string(mode));
  }
};
inline constexpr KindVariables node_kind = {"nodeAffinity", "nodeAffinities", "nodeTerms",
                                            "preferredNodeTerms", ".preference"};
inline constexpr KindVariables pod_kind = {"podAffinity", "podAffinities", "podAffinity",
                                           "preferredPodAffinity", ".podAffinityTerm"};
inline constexpr KindVariables pod_anti_kind = {"podAntiAffinity", "podAntiAffinities",
                                                "podAntiAffinity", "preferredPodAntiAffinity",
                                                ".podAffinityTerm"};

/// The required terms that the default gives to a pod, as a list of CEL: without what contradicts the rest of the
/// pod. Empty where there are none.
[[nodiscard]] std::string given_terms(const schedpol::scheduling_policy::SchedulingPolicySpec& spec,
                                      const KindVariables& kind, Of of);
/// Whether required terms are those that the default gives: all of them, as they are given to this pod, or with some
/// of those that contradict it.
[[nodiscard]] std::string is_given(const schedpol::scheduling_policy::SchedulingPolicySpec& spec,
                                   const KindVariables& kind, Of of);
/// The preferred ones.
[[nodiscard]] std::string given_preferred_terms(
    const schedpol::scheduling_policy::SchedulingPolicySpec& spec, const KindVariables& kind);

}  // namespace cli
