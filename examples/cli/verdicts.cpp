// SPDX-License-Identifier: Apache-2.0
#include "verdicts.hpp"

#include "entries.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <numeric>

namespace cli {

namespace {

/// What the count of a verdict is called in JSON.
std::string_view member_of(Verdict verdict) {
  return verdict == Verdict::not_looked_at ? "notLookedAt" : to_string(verdict);
}

}  // namespace

void Verdicts::add(const Subject& subject, const AdmissionResponse& response) {
  const std::size_t objects = std::max(subject.pods, std::size_t{1});
  const Verdict verdict = response.verdict();
  counts_[static_cast<std::size_t>(verdict)] += objects;
  warnings_ += (response.warnings.size() + subject.warnings.size()) * objects;
  if (subject.lacks_template && verdict != Verdict::not_looked_at) without_template_ += objects;
}

std::size_t Verdicts::objects() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::size_t{});
}

Summary Verdicts::summary(const PolicySet& policies, const Selection& selection,
                          Problems& problems) const {
  const std::size_t passed = count(Verdict::not_looked_at);
  if (objects() == 0 && !problems.any()) problems.add("there is no object to look at");
  if (passed > 0 && passed == objects())
    problems.add("no system that runs decides on the " +
                 (passed == 1 ? "object" : counted(passed, "object")));
  std::string line = counted(objects() - passed, "object") + " looked at";
  for (const Verdict verdict : all_verdicts)
    if (verdict != Verdict::not_looked_at) append_count(line, count(verdict), to_string(verdict));
  if (warnings_ > 0) line += ", " + counted(warnings_, "warning");
  Summary summary{.lines = {line + ", by " + policies.described()},
                  .problems = problems.texts(),
                  .members = {{"objects", std::to_string(objects())}}};
  if (passed > 0)
    summary.lines.push_back(counted(passed, "object") +
                            " not looked at: no system that runs decides on " +
                            (passed == 1 ? "it" : "them"));
  if (without_template_ > 0)
    summary.lines.push_back("the template of " + counted(without_template_, "pod") +
                            " is not among the objects: nobody can tell what was added to " +
                            (without_template_ == 1 ? "it" : "them"));
  if (count(Verdict::undecided) > 0)
    summary.lines.push_back(
        "undecided is what may have named its node itself: "
        "`kubectl get --show-managed-fields` tells");
  for (const Verdict verdict : all_verdicts)
    summary.members.emplace_back(member_of(verdict), std::to_string(count(verdict)));
  summary.members.emplace_back("warnings", std::to_string(warnings_));
  summary.members.emplace_back("withoutTemplate", std::to_string(without_template_));
  selection.finish(summary);
  summary.members.emplace_back("policies", std::to_string(policies.policies));
  summary.members.emplace_back("everyPolicyUsed", policies.uses_every_policy ? "true" : "false");
  return summary;
}

void append_warnings(Entry& entry, const Subject& subject) {
  entry.findings.insert(entry.findings.end(), subject.warnings.begin(), subject.warnings.end());
}

Finding undecided_finding(const AdmissionRequest& asked, const Place& place) {
  return {Level::error, "Undecided", place,
          "nobody can tell whether it named the node " +
              schedpol::in_backticks(asked.doubtful_node) +
              " itself, for which it would be denied"};
}

Entry entry_of(const AdmissionRequest& asked, const AdmissionResponse& response,
               const Source& source) {
  const Verdict verdict = response.verdict();
  Entry entry{.good = response.allowed,
              .skipped = verdict == Verdict::not_looked_at,
              .verdict = std::string(to_string(verdict)),
              .name = to_string(asked.name),
              .object = asked.name,
              .place = source.place(asked.object),
              .members = {{"decidedBy", schedpol::json::encode(response.systems())}}};
  if (response.undecided) entry.findings.push_back(undecided_finding(asked, entry.place));
  if (!asked.passes.empty()) entry.lines.push_back({Line::Kind::plain, "it is " + asked.passes});
  return entry;
}

}  // namespace cli
