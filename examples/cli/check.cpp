// SPDX-License-Identifier: Apache-2.0
// `schedpol check`: what a cluster with these policies would decide on each object.

#include "commands.hpp"
#include "decide.hpp"
#include "entries.hpp"
#include "policies.hpp"
#include "terminal.hpp"

#include <schedpol/json/encode.hpp>

namespace cli {

namespace {

class Check {
 public:
  Check(const PolicySet& policies, const Arguments& arguments, Problems& problems,
        Reporter& reporter)
      : policies_(policies), arguments_(arguments), problems_(problems), reporter_(reporter) {}

  void look_at(const Source& source) {
    warn(warnings_of(source));
    const auto asked = read_request(source.object.json(), arguments_.namespace_);
    for (const schedpol::FieldError& error : asked.errors())
      problems_.add(source.place(error.field), error);
    if (!asked) return;
    const AdmissionResponse response = decide(policies_.engine, *asked, fixes_);
    Entry entry = entry_of(*asked, response, source);
    ++(entry.verdict == "allowed"   ? allowed_
       : entry.verdict == "changed" ? changed_
       : entry.verdict == "passed"  ? passed_
                                    : denied_);
    if (!arguments_.only_denied || !entry.good) reporter_.add(entry);
  }

  [[nodiscard]] bool any_denied() const noexcept { return denied_ > 0; }
  [[nodiscard]] std::size_t looked_at() const noexcept {
    return allowed_ + changed_ + passed_ + denied_;
  }

  [[nodiscard]] Summary summary() const {
    std::string line = counted(looked_at(), "object") + " looked at";
    append_count(line, allowed_, "allowed");
    append_count(line, changed_, "changed");
    append_count(line, passed_, "passed");
    append_count(line, denied_, "denied");
    line += ", by " + policies_.described();
    return {.lines = {line},
            .problems = problems_.texts(),
            .members = {{"objects", std::to_string(looked_at())},
                        {"allowed", std::to_string(allowed_)},
                        {"changed", std::to_string(changed_)},
                        {"passed", std::to_string(passed_)},
                        {"denied", std::to_string(denied_)},
                        {"policies", std::to_string(policies_.policies)},
                        {"everyPolicyUsed", policies_.uses_every_policy ? "true" : "false"}}};
  }

 private:
  static Entry entry_of(const AdmissionRequest& asked, const AdmissionResponse& response,
                        const Source& source) {
    using schedpol::json::encode;
    const std::vector<schedpol::Change> changes = response.changes();
    const std::vector<schedpol::Violation> reasons = response.reasons();
    Entry entry{.good = response.allowed,
                .verdict = !response.allowed       ? "denied"
                           : !asked.passes.empty() ? "passed"
                           : changes.empty()       ? "allowed"
                                                   : "changed",
                .name = asked.title(),
                .place = source.place(asked.object)};
    if (!asked.passes.empty()) entry.lines.push_back({Line::Kind::plain, "it is " + asked.passes});
    entry.findings = findings_of(reasons, source, asked.object, Level::error);
    const auto would_be =
        findings_of(response.would_be_reasons(), source, asked.object, Level::warning);
    entry.findings.insert(entry.findings.end(), would_be.begin(), would_be.end());
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
    if (!reasons.empty()) entry.members.emplace_back("violations", encode(reasons));
    return entry;
  }

  const PolicySet& policies_;
  // Of more policies a fix is seldom found in the steps that a denial's has, which all are taken.
  static constexpr std::size_t most_fixed_policies = 256;
  const Fixes fixes_ = policies_.uses_every_policy && policies_.policies > most_fixed_policies
                           ? Fixes::omitted
                           : Fixes::looked_for;
  const Arguments& arguments_;
  Problems& problems_;
  Reporter& reporter_;
  std::size_t allowed_ = 0;
  std::size_t changed_ = 0;
  std::size_t passed_ = 0;
  std::size_t denied_ = 0;
};

}  // namespace

Status run_check(const Arguments& arguments) {
  Problems problems;
  Input input(arguments.stdin_name, problems);
  const auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  const auto reporter = make_reporter(arguments.output, "check");
  if (!policies) {
    reporter->finish({.problems = problems.texts()});
    return Status::not_looked;
  }
  Check check(*policies, arguments, problems, *reporter);
  Progress progress;
  input.read(arguments.objects, [&](const Source& source, const schedpol::json::Document&) {
    check.look_at(source);
    progress.show(check.looked_at(), input.bytes_read(), input.bytes_in_all());
  });
  reporter->finish(check.summary());
  if (problems.any()) return Status::not_looked;
  return check.any_denied() ? Status::bad : Status::good;
}

}  // namespace cli
