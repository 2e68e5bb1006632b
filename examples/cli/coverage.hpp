// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which rules of the policies no case depends on. A case depends on a rule when leaving that out
/// changes the decision on it, be it the verdict, a reason, a warning or a change, or where its
/// replicas go; so no case depends on a rule that another one repeats. Rules are the entries of lists
/// and maps; of a field that permits anything, the field; MetadataPolicies count by their rules,
/// ResourcePolicies as a whole.

#include "cases.hpp"
#include "decide.hpp"
#include "input.hpp"

#include <schedpol/core/node.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/// A case that was decided.
struct DecidedCase {
  AdmissionRequest asked{};
  AdmissionResponse response{};
  /// Of a case with replicas.
  std::vector<schedpol::Node> nodes{};
  std::size_t replicas = 0;
};

struct UncoveredRule {
  std::string name{};  ///< `SchedulingPolicy[gpu].spec.allowed.tolerations[2]`
  Place place{};
  /// Why nobody can tell: without the rule the policy is not valid. Empty where no case depends on it.
  std::string inseparable{};
};

struct Coverage {
  std::size_t rules = 0;
  std::vector<UncoveredRule> uncovered{};
};

[[nodiscard]] Coverage cover(const PolicySet& policies, const std::vector<DecidedCase>& cases);

}  // namespace cli
