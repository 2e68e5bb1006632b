// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whom a change of the policies hits, of objects that may be more than memory holds.

#include "commands.hpp"
#include "input.hpp"
#include "report.hpp"

#include <schedpol/engine/engine.hpp>

#include <cstddef>

namespace cli {

struct ImpactCounts {
  std::size_t unchanged = 0;
  std::size_t changed = 0;
  std::size_t newly_denied = 0;
  std::size_t newly_allowed = 0;
  /// Pods that are denied by one of the two if they named their node themselves.
  std::size_t undecided = 0;
  std::size_t without_pod = 0;  ///< not looked at
  std::size_t terminal = 0;     ///< pods that have run, not looked at either
  std::size_t mirror_pods = 0;  ///< nor are these
  std::size_t warnings = 0;     ///< of misspelt fields

  [[nodiscard]] std::size_t objects() const noexcept {
    return unchanged + changed + newly_denied + newly_allowed + undecided;
  }
  [[nodiscard]] bool differ() const noexcept {
    return changed + newly_denied + newly_allowed + undecided > 0;
  }
};

/// Adds an entry for each owner and what becomes of its objects. Objects that have no pod are only
/// counted.
[[nodiscard]] ImpactCounts report_impact(const schedpol::engine::Engine& before,
                                         const schedpol::engine::Engine& after,
                                         const Arguments& arguments, Input& input,
                                         Problems& problems, Reporter& reporter);

}  // namespace cli
