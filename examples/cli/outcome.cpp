// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <schedpol/base/quoting.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

namespace cli {

namespace {

using schedpol::Change;
using schedpol::Violation;

/// A field of an expectation: what it is called, what is expected, where that is said, and whether
/// what was found has it.
struct Field {
  std::string_view name;
  std::optional<std::string> expected;
  std::string found;
  bool is_met = true;
};

std::string joined(const schedpol::Names& names) {
  return names.empty() ? "none" : in_backticks(names);
}

std::vector<Field> fields_of(const Reason& expected, const Violation& found) {
  const auto& policies = found.policies;
  const auto code =
      expected.code ? std::optional(std::string(to_string(*expected.code))) : std::nullopt;
  return {{"code", code, std::string(to_string(found.code)),
           !expected.code || *expected.code == found.code},
          {"field", expected.field, to_string(found.field),
           !expected.field || found.field == *expected.field},
          {"policy", expected.policy, joined(policies),
           !expected.policy ||
               std::find(policies.begin(), policies.end(), *expected.policy) != policies.end()}};
}

std::vector<Field> fields_of(const ExpectedChange& expected, const Change& found) {
  return {
      {"field", expected.field, to_string(found.field),
       !expected.field || found.field == *expected.field},
      {"from", expected.from, found.from.value_or("nothing"),
       !expected.from || expected.from == found.from},
      {"to", expected.to, found.to.value_or("nothing"), !expected.to || expected.to == found.to},
      {"policy", expected.policy, found.policy,
       !expected.policy || *expected.policy == found.policy}};
}

template <class Expected, class Found>
bool matches(const Expected& expected, const Found& found) {
  const auto fields = fields_of(expected, found);
  return std::all_of(fields.begin(), fields.end(), [](const Field& field) { return field.is_met; });
}

/// How many fields that are expected the found one has.
template <class Expected, class Found>
std::size_t met_fields(const Expected& expected, const Found& found) {
  const auto fields = fields_of(expected, found);
  return static_cast<std::size_t>(
      std::count_if(fields.begin(), fields.end(),
                    [](const Field& field) { return field.expected.has_value() && field.is_met; }));
}

class Comparison {
 public:
  /// What is not looked at, or undecided, is neither allowed nor denied.
  void compare_verdict(const Expectation& expect, Verdict found) {
    const bool is_looked_at = found != Verdict::not_looked_at;
    const bool is_told = is_looked_at && found != Verdict::undecided;
    const std::string is =
        !is_told || found == Verdict::denied ? std::string(to_string(found)) : "allowed";
    const auto add = [&](std::string_view member, const std::string& expected, bool word) {
      const auto line = [&](bool value) {
        return std::string(member) + ": " + (value ? "true" : "false");
      };
      Difference& difference = differences_.emplace_back();
      difference.member = schedpol::FieldPath{member};
      difference.text = "expected " + expected + ", but it is " + is;
      difference.lines.push_back({Line::Kind::removed, line(word)});
      difference.lines.push_back({Line::Kind::added, is_told || member == "lookedAt" ? line(!word)
                                                     : is_looked_at                  ? "undecided"
                                                                    : "lookedAt: false"});
    };
    if (expect.looked_at && *expect.looked_at != is_looked_at)
      add("lookedAt", *expect.looked_at ? "looked at" : "not looked at", *expect.looked_at);
    if (!expect.allowed) return;
    const std::string expected = *expect.allowed ? "allowed" : "denied";
    if (expected != is) add("allowed", expected, *expect.allowed);
  }

  /// `complete`: nothing but what is listed may occur.
  template <class Expected, class Found>
  void compare(std::string_view member, const std::string& what,
               const std::optional<std::vector<Expected>>& expected,
               const std::vector<Found>& found, bool complete) {
    if (!expected) return;
    const schedpol::FieldPath path{member};
    std::vector<const Found*> unlisted;
    for (const Found& one : found) {
      if (std::none_of(expected->begin(), expected->end(),
                       [&](const Expected& other) { return matches(other, one); }))
        unlisted.push_back(&one);
    }
    for (std::size_t i = 0; i < expected->size(); ++i) {
      const Expected& one = (*expected)[i];
      if (std::any_of(found.begin(), found.end(),
                      [&](const Found& other) { return matches(one, other); }))
        continue;
      const auto nearest =
          std::max_element(unlisted.begin(), unlisted.end(), [&](const Found* a, const Found* b) {
            return met_fields(one, *a) < met_fields(one, *b);
          });
      const bool is_near = nearest != unlisted.end() && met_fields(one, **nearest) > 0;
      differences_.push_back({path.index(i), "missing " + what,
                              lines_of(one, is_near ? **nearest : Found{}, is_near)});
      if (is_near) unlisted.erase(nearest);
    }
    for (const Found* one : unlisted)
      if (complete) differences_.push_back({path, "unexpected " + what + ": " + message(*one), {}});
  }

  [[nodiscard]] std::vector<Difference> take() && { return std::move(differences_); }

 private:
  template <class Expected, class Found>
  static std::vector<Line> lines_of(const Expected& expected, const Found& found, bool is_near) {
    std::vector<Line> lines;
    for (const Field& field : fields_of(expected, found)) {
      if (!field.expected) continue;
      const std::string name = std::string(field.name) + ": ";
      if (is_near && field.is_met) {
        lines.push_back({Line::Kind::plain, "  " + name + *field.expected});
        continue;
      }
      lines.push_back({Line::Kind::removed, name + *field.expected});
      if (is_near) lines.push_back({Line::Kind::added, name + field.found});
    }
    return lines;
  }

  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> differences(const Expectation& expect, const AdmissionResponse& response) {
  Comparison comparison;
  comparison.compare_verdict(expect, response.verdict());
  comparison.compare("reasons", "reason", expect.reasons, response.reasons(), !expect.more_reasons);
  comparison.compare("changes", "change", expect.changes, response.changes(),
                     expect.changes && expect.changes->empty());
  comparison.compare("warnings", "warning", expect.warnings,
                     response.reasons(schedpol::engine::Mode::warn), !expect.more_reasons);
  return std::move(comparison).take();
}

std::vector<Line> texts_of(const AdmissionResponse& response) {
  std::vector<Line> lines;
  const auto add = [&](const std::string& text) { lines.push_back({Line::Kind::plain, text}); };
  if (response.verdict() == Verdict::not_looked_at) {
    add("decided: nothing, as no system that runs looks at it");
    return lines;
  }
  if (response.undecided) {
    add("undecided: it is denied if it named its node itself");
    return lines;
  }
  add(response.allowed ? "decided: allowed" : "decided: denied by " + response.denied_by());
  for (const Violation& reason : response.reasons()) add("  reason: " + message(reason));
  for (const Change& change : response.changes()) add("  change: " + message(change));
  for (const Violation& warning : response.reasons(schedpol::engine::Mode::warn))
    add("  warning: " + message(warning));
  return lines;
}

}  // namespace cli
