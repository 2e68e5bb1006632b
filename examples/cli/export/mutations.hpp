// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a merged policy gives, as mutations: the rules of `scheduling_policy/defaults.hpp`, a field a mutation and in
/// their order, so that each sees what those before it have given.

#include "classes.hpp"
#include "model.hpp"

#include <schedpol/core/toleration.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// Adds to `rules` what is given. What CEL cannot give is refused.
void add_mutations(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                   const schedpol::engine::Settings& settings, const Classes& classes,
                   Refusals& refusals);

/// Whether a pod is given a name, which it has not or the cluster has filled in.
[[nodiscard]] std::string is_given_name(std::string_view field, const std::string& by_default,
                                        const schedpol::scheduling_policy::Options& options);

/// Where nothing is mutated: names are judged as if they were given. What of other defaults would matter, because it
/// is required too, is refused.
void judge_as_if_given(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                       const schedpol::scheduling_policy::Options& options, Refusals& refusals);

/// The two that DefaultTolerationSeconds adds.
[[nodiscard]] const std::vector<schedpol::Toleration>& default_seconds();
/// The one in whose place this one stands; null where it is about another taint.
[[nodiscard]] const schedpol::Toleration* default_seconds_of(
    const schedpol::Toleration& toleration);

/// What a default of tolerations gives, one for each value, of equal ones the first.
[[nodiscard]] std::vector<schedpol::Toleration> given_tolerations(
    const schedpol::scheduling_policy::SchedulingPolicySpec& spec);

}  // namespace cli
