// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A decision against what a case expects of it, in words.

#include "cases.hpp"

#include <schedpol/core/admission.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/engine/engine.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace policytest {

[[nodiscard]] inline schedpol::engine::Decision decide(const Case& one,
                                                       const schedpol::engine::Engine& engine) {
  using schedpol::engine::Operation;
  if (!one.old) return engine.decide({.object = *one.pod});
  return engine.decide(
      {.operation = Operation::update, .object = *one.pod, .old = schedpol::Old(*one.old)});
}

/// What was decided, sorted by what it counts for.
struct Outcome {
  bool allowed = false;
  std::string denied_by{};
  std::vector<schedpol::Violation> reasons{};
  std::vector<schedpol::Violation> warnings{};
  std::vector<schedpol::Change> changes{};  ///< that came into effect
};

[[nodiscard]] inline Outcome outcome_of(const schedpol::engine::Decision& decision) {
  Outcome outcome;
  outcome.allowed = decision.allowed;
  const auto append = [](auto& into, const auto& from) {
    into.insert(into.end(), from.begin(), from.end());
  };
  for (const schedpol::engine::StepDecision& said : decision.steps) {
    if (said.step.mode == schedpol::engine::Mode::warn) append(outcome.warnings, said.violations);
    if (said.step.mode != schedpol::engine::Mode::enforce) continue;
    append(outcome.reasons, said.violations);
    if (decision.allowed) append(outcome.changes, said.changes);
    if (!said.violations.empty()) outcome.denied_by = to_string(said.step.system);
  }
  return outcome;
}

/// The decision, a line for it and one for each thing it says.
[[nodiscard]] inline std::vector<std::string> texts_of(const Outcome& outcome) {
  std::vector<std::string> lines = {outcome.allowed ? "decided allowed"
                                                    : "decided denied, by " + outcome.denied_by};
  for (const auto& reason : outcome.reasons) lines.push_back("  reason: " + message(reason));
  for (const auto& change : outcome.changes) lines.push_back("  change: " + message(change));
  for (const auto& warning : outcome.warnings) lines.push_back("  warning: " + message(warning));
  return lines;
}

[[nodiscard]] inline bool matches(const Reason& expected, const schedpol::Violation& found) {
  const auto& policies = found.policies;
  return (!expected.code || *expected.code == found.code) &&
         (!expected.field || found.field == *expected.field) &&
         (!expected.policy ||
          std::find(policies.begin(), policies.end(), *expected.policy) != policies.end());
}
[[nodiscard]] inline bool matches(const ExpectedChange& expected, const schedpol::Change& found) {
  return (!expected.field || found.field == *expected.field) &&
         (!expected.from || expected.from == found.from) &&
         (!expected.to || expected.to == found.to) &&
         (!expected.policy || *expected.policy == found.policy);
}

/// The members that are given, in the manner of the messages.
[[nodiscard]] inline std::string text_of(const Reason& reason) {
  std::string text(reason.code ? to_string(*reason.code) : "a reason");
  if (reason.field) text += " at " + schedpol::in_backticks(*reason.field);
  if (reason.policy) text += " by " + schedpol::in_backticks(*reason.policy);
  return text;
}
[[nodiscard]] inline std::string text_of(const ExpectedChange& change) {
  std::string text = change.field ? schedpol::in_backticks(*change.field) : "any field";
  text += " changed";
  if (change.from) text += " from " + schedpol::in_backticks(*change.from);
  if (change.to) text += " to " + schedpol::in_backticks(*change.to);
  if (change.policy) text += " by " + schedpol::in_backticks(*change.policy);
  return text;
}

/// Collects how an outcome differs from what is expected.
class Comparison {
 public:
  /// `complete`: nothing but what is listed may occur.
  template <class Expected, class Found>
  void compare(const std::string& what, const std::optional<std::vector<Expected>>& expected,
               const std::vector<Found>& found, bool complete) {
    if (!expected) return;
    for (const Expected& one : *expected) {
      const bool occurs = std::any_of(found.begin(), found.end(),
                                      [&](const Found& other) { return matches(one, other); });
      if (!occurs) differences_.push_back("missing " + what + ": " + text_of(one));
    }
    for (const Found& one : found) {
      const bool listed = std::any_of(expected->begin(), expected->end(),
                                      [&](const Expected& other) { return matches(other, one); });
      if (complete && !listed) differences_.push_back("unexpected " + what + ": " + message(one));
    }
  }

  void compare_allowed(bool expected, bool found) {
    if (expected != found)
      differences_.push_back(expected ? "expected allowed, but it is denied"
                                      : "expected denied, but it is allowed");
  }

  [[nodiscard]] std::vector<std::string> take() && { return std::move(differences_); }

 private:
  std::vector<std::string> differences_;
};

/// How the outcome differs from what the case expects; nothing where it is as expected.
[[nodiscard]] inline std::vector<std::string> differences(const Expectation& expect,
                                                          const Outcome& outcome) {
  Comparison comparison;
  comparison.compare_allowed(expect.allowed == true, outcome.allowed);
  comparison.compare("reason", expect.reasons, outcome.reasons, !expect.more_reasons);
  comparison.compare("change", expect.changes, outcome.changes,
                     expect.changes && expect.changes->empty());
  comparison.compare("warning", expect.warnings, outcome.warnings, !expect.more_reasons);
  return std::move(comparison).take();
}

}  // namespace policytest
