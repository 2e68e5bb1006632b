// SPDX-License-Identifier: Apache-2.0
// `schedpol explain`: which entries of which policies decide on each part of an object.

#include "commands.hpp"
#include "decide.hpp"
#include "entries.hpp"
#include "inventory.hpp"
#include "policies.hpp"
#include "verdicts.hpp"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;

std::string json_list(const std::vector<sp::PolicyEntry>& entries) {
  std::string list;
  for (const sp::PolicyEntry& one : entries) {
    std::vector<std::pair<std::string, std::string>> members = {
        {"policy", json_text(one.policy)}, {"entry", json_text(to_string(one.entry))}};
    if (!one.value.empty()) members.emplace_back("value", json_text(one.value));
    list += (list.empty() ? "" : ",") + json_object(members);
  }
  return "[" + list + "]";
}

/// What the systems other than SchedulingPolicy said: their reasons, whatever becomes of these, and what
/// those that enforce made of the object.
void append_other_systems(Entry& entry, const AdmissionResponse& response, const Source& source,
                          const AdmissionRequest& asked) {
  for (const schedpol::engine::StepDecision& said : response.steps) {
    if (said.step.system == schedpol::engine::System::scheduling_policy) continue;
    const auto findings =
        findings_of(said.violations, source, asked.object, level_of(said.step.mode));
    entry.findings.insert(entry.findings.end(), findings.begin(), findings.end());
    if (said.step.mode != schedpol::engine::Mode::enforce) continue;
    const auto diff = diff_of(said.changes);
    if (!diff.empty())
      entry.lines.push_back(
          {Line::Kind::plain, std::string(to_string(said.step.system)) + " makes of it"});
    entry.lines.insert(entry.lines.end(), diff.begin(), diff.end());
  }
}

/// Of all pod templates together. Nothing where another system denied the object before, be it for its own
/// metadata.
sp::Explanation explanation_of(const schedpol::engine::Engine& engine,
                               const AdmissionRequest& asked, const AdmissionResponse& response) {
  sp::Explanation all{.allowed = response.allowed};
  const bool was_asked =
      std::any_of(response.steps.begin(), response.steps.end(), [](const auto& said) {
        return said.step.system == schedpol::engine::System::scheduling_policy;
      });
  if (!was_asked) return all;
  for_each_pod(asked, [&](const schedpol::engine::Request& request, const auto& in_object) {
    sp::Explanation explanation = schedpol::engine::InsightAdviser().explain(engine, request);
    for (sp::ExplainedItem& item : explanation.items) {
      item.field = in_object(item.field);
      all.items.push_back(std::move(item));
    }
  });
  return all;
}

void append_explanation(Entry& entry, const sp::Explanation& explanation, const Source& source,
                        const AdmissionRequest& asked) {
  std::string items;
  for (const sp::ExplainedItem& item : explanation.items) {
    const Place place = source.place(asked.object.join(item.field));
    std::vector<std::pair<std::string, std::string>> members = {
        {"field", json_text(to_string(item.field))},
        {"value", json_text(item.value)},
        {"ruling", json_text(to_string(item.ruling))},
        {"by", json_list(item.by)},
        {"lost", json_list(item.lost)},
        {"line", std::to_string(place.line)}};
    if (!item.permits_only.empty())
      members.emplace_back("permitsOnly", json_text(item.permits_only));
    items += (items.empty() ? "" : ",") + json_object(members);
  }
  entry.members.emplace_back("items", "[" + items + "]");
  if (explanation.items.empty()) return;  // another system denied the object before
  entry.lines.push_back({Line::Kind::plain, "SchedulingPolicy"});
  std::vector<Line> table;
  append_lines(table, message(explanation));
  // The first line of it is the decision.
  entry.lines.insert(entry.lines.end(),
                     table.begin() + std::min<std::ptrdiff_t>(1, std::ssize(table)), table.end());
}

}  // namespace

Status run_explain(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  const auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  const auto reporter = make_reporter(arguments.output, "explain");
  Verdicts verdicts;
  GroupedEntries entries(*reporter);
  const auto explain = [&](const Subject& subject, const Source& source) {
    const AdmissionRequest& asked = subject.asked;
    const AdmissionResponse response = decide(policies->engine, asked, Fixes::omitted);
    verdicts.add(subject, response);
    if (arguments.only_denied && response.allowed) return;
    Entry entry = entry_of(asked, response, source);
    if (!response.undecided) append_other_systems(entry, response, source, asked);
    append_warnings(entry, subject);
    if ((asked.pod || !asked.templates.empty()) && !entry.skipped &&
        policies->engine.runs(schedpol::engine::System::scheduling_policy))
      append_explanation(entry, explanation_of(policies->engine, asked, response), source, asked);
    entries.add(subject, std::move(entry));
  };
  if (!policies) {
    reporter->finish({.problems = problems.texts()});
    return Status::not_looked;
  }
  Inventory(*policies, arguments, problems).read(input, explain);
  entries.finish();
  reporter->finish(verdicts.summary(*policies, selection, problems));
  if (problems.any()) return Status::not_looked;
  return verdicts.is_bad() ? Status::bad : Status::good;
}

}  // namespace cli
