// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a default of affinity gives to a pod, in CEL: rules 7 to 11 of `scheduling_policy/defaults.hpp`. Required
/// node terms are a variable, `givenNodeTerms`, because they depend on the node selector of the pod.

#include "classes.hpp"
#include "kind_variables.hpp"
#include "model.hpp"

#include <string>

namespace cli {

/// Whether a value of a label is what an expression asks for.
[[nodiscard]] std::string is_met_by(const std::string& expression, const std::string& value);
/// The same of a value that is known. A compiler works out what it can, and finds that `int('a')` fails.
[[nodiscard]] std::string is_met_by_text(const std::string& expression, const std::string& text);

[[nodiscard]] bool has_required_node_terms(
    const schedpol::scheduling_policy::Defaults& defaults) noexcept;

/// Why the required node terms of a default cannot be given; empty where they can.
[[nodiscard]] std::string reason_against(const schedpol::engine::EffectivePolicy& effective,
                                         const schedpol::scheduling_policy::Options& options);

/// Adds the variables `givenNodeTerms` and `keepsNodeTerms`, where there are any.
void add_given_node_terms(Rules& rules, const schedpol::engine::EffectivePolicy& effective,
                          const schedpol::scheduling_policy::Options& options,
                          const Classes& classes);

/// The required terms of pod affinity, or anti-affinity, as a list of CEL: without those that contradict the other one of
/// the pod. Empty where there are none.
[[nodiscard]] std::string given_pod_terms(const schedpol::scheduling_policy::Defaults& defaults,
                                          const KindVariables& kind, Of of);
/// The preferred terms of a kind.
[[nodiscard]] std::string given_preferred_terms(
    const schedpol::scheduling_policy::SchedulingPolicySpec& spec, const KindVariables& kind);

/// Whether required terms are those that the default gives: all of them, as they are given to this pod, or with some
/// of those that contradict it.
[[nodiscard]] std::string is_given(const schedpol::scheduling_policy::SchedulingPolicySpec& spec,
                                   const KindVariables& kind,
                                   const schedpol::scheduling_policy::Options& options);
/// Whether an update keeps required terms that nothing permits: not those that the default gave.
[[nodiscard]] std::string keeps_old_terms(
    const schedpol::scheduling_policy::SchedulingPolicySpec& spec, const KindVariables& kind);

}  // namespace cli
