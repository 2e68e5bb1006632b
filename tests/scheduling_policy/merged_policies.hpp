// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies that are merged.

#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace merged_policies {

using schedpol::testing::operator""_path;

using schedpol::testing::List;
using Policies = std::vector<SchedulingPolicy>;
using TolerationPatterns = std::vector<TolerationPattern>;

inline TolerationPattern key_pattern(std::string key) {
  return {.keys = {std::move(key)},
          .operators = {TolerationOperator::exists},
          .effects = {TaintEffect::no_schedule}};
}
inline TermPattern term_pattern(std::string key) {
  return {.match_expressions = {{RequirementPattern{.keys = {std::move(key)},
                                                    .operators = {NodeSelectorOperator::exists}}}}};
}
inline NodeSelectorTerm term(std::string key) {
  return {
      .match_expressions = {{.key = std::move(key), .operator_ = NodeSelectorOperator::exists}}};
}
inline AffinityRules node_rules(AnyOr<NodeAffinityRule> required,
                                AnyOr<NodeAffinityRule> preferred = {}) {
  return {.node_affinities = NodeAffinityRules{std::move(required), std::move(preferred)}};
}
inline AffinityRules pod_rules(AnyOr<PodAffinityRule> required,
                               AnyOr<PodAffinityRule> preferred = {}) {
  return {.pod_affinities = PodAffinityRules{std::move(required), std::move(preferred)}};
}

/// Merges specs as policies named a, b, c, ... in that order, given in the reverse one.
inline EffectivePolicy merged(const std::vector<SchedulingPolicySpec>& specs,
                              MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  Policies policies;
  for (const SchedulingPolicySpec& spec : specs) {
    const auto letter = static_cast<char>('a' + policies.size());
    policies.push_back({.metadata = {.name = std::string(1, letter)}, .spec = spec});
  }
  std::reverse(policies.begin(), policies.end());
  return merge(policies, strategy);
}

}  // namespace merged_policies
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
