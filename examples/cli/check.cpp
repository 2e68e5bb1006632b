// SPDX-License-Identifier: Apache-2.0
// `schedpol check`: what a cluster with these policies would decide on each object.

#include "commands.hpp"
#include "decide.hpp"
#include "entries.hpp"
#include "inventory.hpp"
#include "policies.hpp"
#include "verdicts.hpp"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/encode.hpp>

namespace cli {

namespace {

class Check {
 public:
  Check(const PolicySet& policies, const Arguments& arguments, Reporter& reporter)
      : policies_(policies), arguments_(arguments), entries_(reporter) {}

  void look_at(const Subject& subject, const Source& source) {
    const AdmissionRequest& asked = subject.asked;
    const AdmissionResponse response = decide(policies_.engine, asked, fixes_);
    Entry entry = described(asked, response, source);
    append_warnings(entry, subject);
    if (asked.passes.empty()) append_ungoverned(entry, asked);
    verdicts_.add(subject, response);
    if (!arguments_.only_denied || !response.allowed) entries_.add(subject, std::move(entry));
  }

  void finish() { entries_.finish(); }

  [[nodiscard]] const Verdicts& verdicts() const noexcept { return verdicts_; }

 private:
  static Entry described(const AdmissionRequest& asked, const AdmissionResponse& response,
                         const Source& source) {
    using schedpol::engine::Mode;
    using schedpol::json::encode;
    const std::vector<schedpol::Change> changes = response.changes();
    Entry entry = entry_of(asked, response, source);
    if (response.undecided) return entry;
    for (const Mode mode : {Mode::enforce, Mode::warn, Mode::audit}) {
      const auto findings =
          findings_of(response.reasons(mode), source, asked.object, level_of(mode));
      entry.findings.insert(entry.findings.end(), findings.begin(), findings.end());
    }
    for (const schedpol::Warning& warning : response.warnings)
      entry.findings.push_back({Level::warning, "Warning",
                                source.place(asked.object.join(warning.field)), message(warning)});
    const auto diff = diff_of(changes);
    entry.lines.insert(entry.lines.end(), diff.begin(), diff.end());
    if (!response.fix.empty()) {
      entry.lines.push_back({Line::Kind::plain, "it would be allowed with"});
      const auto fix = diff_of(response.fix);
      entry.lines.insert(entry.lines.end(), fix.begin(), fix.end());
      entry.members.emplace_back("nearestFix", encode(response.fix));
    }
    if (!changes.empty()) entry.members.emplace_back("changes", encode(changes));
    if (!response.allowed) entry.members.emplace_back("violations", encode(response.reasons()));
    return entry;
  }

  /// What no policy permits, and none has to.
  void append_ungoverned(Entry& entry, const AdmissionRequest& asked) const {
    std::string members;
    for_each_pod(asked, [&](const schedpol::engine::Request& request, const auto& in_object) {
      for (const schedpol::scheduling_policy::ExplainedItem& item :
           schedpol::engine::InsightAdviser().find_ungoverned(policies_.engine, request)) {
        if (members.empty()) entry.lines.push_back({Line::Kind::plain, "nothing governs"});
        const std::string field = to_string(in_object(item.field));
        entry.lines.push_back({Line::Kind::plain, "  " + field + ": " + item.value});
        members += (members.empty() ? "" : ",") +
                   json_object({{"field", json_text(field)}, {"value", json_text(item.value)}});
      }
    });
    if (members.empty()) return;
    entry.members.emplace_back("ungoverned", "[" + members + "]");
  }

  const PolicySet& policies_;
  // Of more policies a fix is seldom found in the steps that a denial's has, which all are taken.
  static constexpr std::size_t most_fixed_policies = 256;
  const Fixes fixes_ = policies_.uses_every_policy && policies_.policies > most_fixed_policies
                           ? Fixes::omitted
                           : Fixes::looked_for;
  const Arguments& arguments_;
  GroupedEntries entries_;
  Verdicts verdicts_;
};

}  // namespace

Status run_check(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  const auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  const auto reporter = make_reporter(arguments.output, "check");
  if (!policies) {
    reporter->finish({.problems = problems.texts()});
    return Status::not_looked;
  }
  Check check(*policies, arguments, *reporter);
  Inventory(*policies, arguments, problems)
      .read(input,
            [&](const Subject& subject, const Source& source) { check.look_at(subject, source); });
  check.finish();
  reporter->finish(check.verdicts().summary(*policies, selection, problems));
  if (problems.any()) return Status::not_looked;
  return check.verdicts().is_bad() ? Status::bad : Status::good;
}

}  // namespace cli
