// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The SchedulingPolicies of two sets compared as those are judged by them whose pods they are: of
/// everybody at once where every policy is used, otherwise of each service account that a binding
/// names, and of one that none names.

#include "policies.hpp"

#include <schedpol/insight/compare.hpp>

#include <string>
#include <vector>

namespace cli {

struct ComparedPolicies {
  std::string whose{};  ///< ` of service account shop/web`; empty where it is everybody
  schedpol::scheduling_policy::Comparison comparison{};
};

/// Where the two tell too much apart, that is a problem.
[[nodiscard]] std::vector<ComparedPolicies> compare_scheduling_policies(const PolicySet& before,
                                                                        const PolicySet& after,
                                                                        Problems& problems);

}  // namespace cli
