// SPDX-License-Identifier: Apache-2.0
// `schedpol lint`: what is wrong with policies, and what is odd about them together.

#include "commands.hpp"
#include "entries.hpp"
#include "plan.hpp"
#include "policies.hpp"

#include <schedpol/core/node.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/json/encode.hpp>

#include <optional>
#include <string>

namespace cli {

namespace {

namespace engine = schedpol::engine;

Level level_of(schedpol::Severity severity) {
  return severity == schedpol::Severity::error     ? Level::error
         : severity == schedpol::Severity::warning ? Level::warning
                                                   : Level::note;
}

/// The place of a finding: that of its field in its object, or in the policy that it names first.
Place place_of(const engine::SystemFinding& found, const PolicySet& policies) {
  const schedpol::Finding& finding = found.finding;
  if (!finding.object.empty()) return policies.place(finding.object.join(finding.field));
  if (finding.policies.empty()) return {};
  const std::string system(to_string(found.system));
  for (const std::string& kind : {system, "Cluster" + system}) {
    const schedpol::FieldPath policy = schedpol::FieldPath{kind}.key(finding.policies[0]);
    const Place place = policies.place(policy.child("spec").join(finding.field));
    if (!place.file.empty()) return place;
  }
  return {};
}

/// Adds an entry of one finding.
class Findings {
 public:
  explicit Findings(Reporter& reporter) : reporter_(reporter) {}

  void add(const Finding& finding, std::vector<Line> lines = {},
           std::vector<std::pair<std::string, std::string>> members = {}) {
    ++counts_[static_cast<std::size_t>(finding.level)];
    Entry entry = entry_of(finding);
    entry.lines = std::move(lines);
    entry.members = std::move(members);
    reporter_.add(entry);
  }

  [[nodiscard]] std::size_t count(Level level) const {
    return counts_[static_cast<std::size_t>(level)];
  }

 private:
  Reporter& reporter_;
  std::size_t counts_[3] = {};
};

}  // namespace

Status run_lint(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  const PolicySet policies =
      read_policies(arguments.operands, arguments.namespace_, input, problems);
  const std::vector<schedpol::Node> nodes = read_nodes(arguments.nodes, input, problems);
  const auto reporter = make_reporter(arguments.output, "lint");
  Findings findings(*reporter);
  for (const Finding& error : policies.errors) findings.add(error);
  for (const Finding& warning : policies.warnings) findings.add(warning);
  for (const Finding& note : policies.notes) findings.add(note);
  for (const engine::SystemFinding& found : analyze(policies.configuration, nodes)) {
    const std::string code(to_string(found.finding.code));
    std::vector<Line> lines;
    std::vector<std::pair<std::string, std::string>> members;
    if (found.finding.witness) {
      const std::string witness = schedpol::json::encode(*found.finding.witness);
      lines.push_back({Line::Kind::plain, "shown by " + witness});
      members.emplace_back("witness", witness);
    }
    findings.add(
        {level_of(found.finding.severity), code, place_of(found, policies), message(found.finding)},
        std::move(lines), std::move(members));
  }
  std::string line = std::to_string(policies.policies) +
                     (policies.policies == 1 ? " policy" : " policies") + " looked at";
  const auto append = [&](Level level, std::string_view one, std::string_view many) {
    append_count(line, findings.count(level), findings.count(level) == 1 ? one : many);
  };
  append(Level::error, "error", "errors");
  append(Level::warning, "warning", "warnings");
  append(Level::note, "note", "notes");
  Summary summary{.lines = {line},
                  .problems = problems.texts(),
                  .members = {{"policies", std::to_string(policies.policies)},
                              {"errors", std::to_string(findings.count(Level::error))},
                              {"warnings", std::to_string(findings.count(Level::warning))},
                              {"notes", std::to_string(findings.count(Level::note))}}};
  selection.finish(summary);
  reporter->finish(summary);
  if (problems.any()) return Status::not_looked;
  const bool is_bad =
      findings.count(Level::error) > 0 || (arguments.strict && findings.count(Level::warning) > 0);
  return is_bad ? Status::bad : Status::good;
}

}  // namespace cli
