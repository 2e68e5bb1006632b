// SPDX-License-Identifier: Apache-2.0
#pragma once

// SchedulingPolicies that are analyzed, and what is found.

#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/compare.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace analyzed_policies {

using namespace schedpol;
using namespace schedpol::scheduling_policy;

using Policies = std::vector<SchedulingPolicy>;

/// Policies a, b, ... that allow the schedulers and say this besides.
inline Policies saying(std::vector<SchedulingPolicySpec> specs) {
  Policies policies;
  for (SchedulingPolicySpec& spec : specs) {
    if (spec.allowed.scheduler_names.is_absent())
      spec.allowed.scheduler_names = {"default-scheduler"};
    policies.push_back(
        {.metadata = {.name = std::string(1, static_cast<char>('a' + policies.size()))},
         .spec = std::move(spec)});
  }
  return policies;
}

/// The findings of one sort, without those on the set as a whole unless they are asked for.
inline std::vector<std::string> found(FindingCode code, const Policies& policies,
                                      const Options& options = {},
                                      MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  std::vector<std::string> texts;
  for (const Finding& finding : analyze(policies, strategy, options))
    if (finding.code == code) texts.push_back(message(finding));
  return texts;
}

using Lines = std::vector<std::string>;

inline TolerationPattern of_key(std::string key) {
  return {.keys = {key}, .operators = any, .values = any, .effects = any};
}

inline SchedulingPolicySpec requiring(const TermPattern& term) {
  SchedulingPolicySpec spec;
  spec.required.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {term};
  return spec;
}

}  // namespace analyzed_policies
