// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When a pattern of a policy matches an item of a pod, in CEL: the rules of
/// `scheduling_policy/impl/patterns.hpp`. The item is a variable of CEL, mostly that of a macro.

#include <schedpol/scheduling_policy/policy.hpp>

#include <string>
#include <vector>

namespace cli {

/// As few patterns as match the same: those that differ in their keys alone become one. So do those of tolerations that
/// differ in their values alone; of an expression one pattern has to list all values.
[[nodiscard]] std::vector<schedpol::scheduling_policy::TolerationPattern> joined(
    std::vector<schedpol::scheduling_policy::TolerationPattern> patterns);
[[nodiscard]] std::vector<schedpol::scheduling_policy::RequirementPattern> joined(
    std::vector<schedpol::scheduling_policy::RequirementPattern> patterns);

/// A toleration, taken as one of the effect that `effect` is; `effect` empty: with the effects that it has.
[[nodiscard]] std::string matches(const schedpol::scheduling_policy::TolerationPattern& pattern,
                                  const std::string& toleration, const std::string& effect);
/// Whether it matches this toleration, which tolerates all values and has one effect.
[[nodiscard]] bool matches_existing(const schedpol::scheduling_policy::TolerationPattern& pattern,
                                    const schedpol::Toleration& toleration);
/// Whether it has an operator and an effect that Kubernetes knows.
[[nodiscard]] std::string has_known_words(const std::string& toleration);
/// Whether it is this toleration; without `with_effect` whatever its effect, and so with the key.
[[nodiscard]] std::string equals(const schedpol::Toleration& wanted, const std::string& toleration,
                                 bool with_effect = true, bool with_key = true);
/// Whether it is one of them.
[[nodiscard]] std::string equals_one_of(const std::vector<schedpol::Toleration>& wanted,
                                        const std::string& toleration, bool with_effect = true);
/// Whether two are equal.
[[nodiscard]] std::string equal_tolerations(const std::string& a, const std::string& b);
/// Whether the API server drops the second one beside the first.
[[nodiscard]] std::string covers(const std::string& a, const std::string& b);
/// One for a person: `dedicated=gpu:NoSchedule`.
[[nodiscard]] std::string toleration_text(const std::string& toleration);

/// An expression of node affinity.
[[nodiscard]] std::string matches(const schedpol::scheduling_policy::RequirementPattern& pattern,
                                  const std::string& expression);

/// Whether a term holds a required one. One that asks for nothing is never held.
[[nodiscard]] std::string holds(const schedpol::scheduling_policy::TermPattern& required,
                                const std::string& term);

/// A topology spread constraint, taken as one with this `whenUnsatisfiable`.
[[nodiscard]] std::string matches(
    const schedpol::scheduling_policy::SpreadConstraintPattern& pattern,
    const std::string& constraint, const std::string& when_unsatisfiable);

}  // namespace cli
