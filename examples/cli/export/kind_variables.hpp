// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The kinds of affinity: where they stand, and which variables hold their terms.

#include "variables.hpp"

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

}  // namespace cli
