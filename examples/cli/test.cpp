// SPDX-License-Identifier: Apache-2.0
// `schedpol test`: policies against files of cases, which cases.hpp describes.

#include "cases.hpp"
#include "commands.hpp"
#include "compare.hpp"
#include "coverage.hpp"
#include "outcome.hpp"
#include "plan.hpp"

#include <schedpol/base/quoting.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace cli {

namespace {

namespace rp = schedpol::resource_policy;

class Tester {
 public:
  Tester(const Arguments& arguments, Selection& selection, Problems& problems, Reporter& reporter)
      : arguments_(arguments), selection_(selection), problems_(problems), reporter_(reporter) {}

  void test(const CaseFile& file) {
    decided_.clear();
    for (const Finding& warning : file.warnings) reporter_.add(entry_of(warning));
    warnings_ += file.warnings.size();
    bool any = false;
    for (const Case& one : file.cases) {
      if (one.name.find(arguments_.filter) == std::string::npos) continue;
      any = true;
      ++cases_;
      test(file, one);
    }
    if (arguments_.coverage && any) report_coverage(cover(file.policies, decided_));
  }

  Status finish() {
    if (cases_ == 0 && !problems_.any())
      problems_.add(arguments_.filter.empty()
                        ? "there is no case to look at"
                        : "there is no case with " + schedpol::in_backticks(arguments_.filter) +
                              " in its name");
    Summary summary{.problems = problems_.texts(),
                    .members = {{"cases", std::to_string(cases_)},
                                {"failed", std::to_string(failed_)},
                                {"warnings", std::to_string(warnings_)}}};
    std::string line =
        std::to_string(cases_ - failed_) + " of " + counted(cases_, "case") + " as expected";
    if (warnings_ > 0) line += ", " + counted(warnings_, "warning");
    if (arguments_.coverage) {
      line += ", " + std::to_string(covered_) + " of " + counted(rules_, "rule") + " depended on";
      summary.members.emplace_back("rules", std::to_string(rules_));
      summary.members.emplace_back("covered", std::to_string(covered_));
      summary.members.emplace_back("uncovered", "[" + uncovered_json_ + "]");
    }
    summary.lines = {line};
    summary.lines.insert(summary.lines.end(), uncovered_.begin(), uncovered_.end());
    selection_.finish(summary);
    reporter_.finish(summary);
    if (problems_.any()) return Status::not_looked;
    return failed_ > 0 ? Status::bad : Status::good;
  }

 private:
  void test(const CaseFile& file, const Case& one) {
    const schedpol::FieldPath expect = one.path.child("expect");
    std::vector<Difference> found;
    std::vector<Line> decided;
    std::optional<AdmissionRequest> asked;
    if (!one.object.empty()) {
      auto read = read_request(
          one.object,
          one.namespace_.empty() ? schedpol::default_namespace : std::string_view(one.namespace_),
          file.policies.engine.templates(), one.old.empty() ? nullptr : &one.old);
      for (schedpol::FieldError error : read.errors()) {
        error.field = one.path.child("object").join(error.field);
        problems_.add(file.source.place(error.field), error);
      }
      if (!read) return;
      asked = *std::move(read);
    }
    if (asked && (one.expect.allowed || one.expect.looked_at)) {
      AdmissionResponse response = decide(file.policies.engine, *asked, Fixes::omitted);
      found = differences(one.expect, response);
      decided = texts_of(response);
      decided_.push_back({*asked, std::move(response)});
    }
    if (asked && one.expect.units) test_units(file, one, *asked, found);
    if (one.expect.relation) test_relation(file, one, found);
    Entry entry{.good = found.empty(),
                .verdict = found.empty() ? "ok" : "FAILED",
                .name = one.name,
                .place = file.source.place(one.path)};
    for (Difference& difference : found) {
      const schedpol::FieldPath at = expect.join(difference.member);
      entry.findings.push_back(
          {Level::error, "Unexpected", file.source.place(at), difference.text});
      entry.lines.insert(entry.lines.end(), difference.lines.begin(), difference.lines.end());
    }
    if (!found.empty()) {
      ++failed_;
      entry.lines.insert(entry.lines.end(), decided.begin(), decided.end());
    }
    reporter_.add(entry);
  }

  void test_units(const CaseFile& file, const Case& one, const AdmissionRequest& asked,
                  std::vector<Difference>& found) {
    const schedpol::FieldPath member{"units"};
    const schedpol::Pod* const pod = planned_pod(asked);
    if (pod == nullptr) return void(found.push_back({member, not_planned(asked), {}}));
    Input input("<stdin>", selection_, problems_);
    std::vector<schedpol::Node> nodes = read_nodes({one.nodes}, input, problems_);
    const rp::ResourcePolicy* const policy = policy_of(file.policies, *pod);
    if (policy == nullptr)
      return void(found.push_back({member, "not one ResourcePolicy selects the object", {}}));
    const auto replicas = static_cast<std::size_t>(one.replicas);
    const auto plan = plan_of(file.policies, *pod, nodes, replicas);
    for (const schedpol::FieldError& error : plan.errors())
      problems_.add(file.source.place(one.path.join(error.field)), error);
    if (!plan) return;
    std::vector<std::int64_t> units(policy->spec.units.size());
    for (const rp::Placement& placement : plan->placements)
      if (placement.unit && placement.code == rp::Code::success) ++units[*placement.unit];
    if (units != *one.expect.units) {
      found.push_back({member,
                       "the replicas go elsewhere",
                       {{Line::Kind::removed, "units: " + listed(*one.expect.units)},
                        {Line::Kind::added, "units: " + listed(units)}}});
    }
    DecidedCase decided{.asked = asked, .nodes = std::move(nodes), .replicas = replicas};
    decided.response = decide(file.policies.engine, asked, Fixes::omitted);
    decided_.push_back(std::move(decided));
  }

  static std::string listed(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "[" + text + "]";
  }

  void test_relation(const CaseFile& file, const Case& one, std::vector<Difference>& found) {
    Input input("<stdin>", selection_, problems_);
    const auto before =
        usable_policies(one.before, std::string(schedpol::default_namespace), input, problems_);
    if (!before) return;
    const std::vector<std::string>& expected = *one.expect.relation;
    for (const ComparedPolicies& compared :
         compare_scheduling_policies(*before, file.policies, problems_)) {
      const std::string relation(to_string(compared.comparison.relation));
      if (std::find(expected.begin(), expected.end(), relation) != expected.end()) continue;
      std::string words;
      for (const std::string& word : expected) words += (words.empty() ? "" : " or ") + word;
      found.push_back({schedpol::FieldPath{"relation"},
                       "the policies" + compared.whose + " are " + relation,
                       {{Line::Kind::removed, "relation: " + words},
                        {Line::Kind::added, "relation: " + relation}}});
    }
  }

  void report_coverage(const Coverage& coverage) {
    rules_ += coverage.rules;
    covered_ += coverage.rules - coverage.uncovered.size();
    for (const UncoveredRule& rule : coverage.uncovered) {
      const bool is_told = rule.inseparable.empty();
      uncovered_.push_back(to_string(rule.place) + ": " +
                           (is_told ? "no case depends on " : "nothing is valid without ") +
                           rule.name + (is_told ? "" : ": " + rule.inseparable));
      uncovered_json_ += (uncovered_json_.empty() ? "" : ",") + json_text(rule.name);
    }
  }

  const Arguments& arguments_;
  Selection& selection_;
  Problems& problems_;
  Reporter& reporter_;
  std::vector<DecidedCase> decided_;
  std::size_t cases_ = 0;
  std::size_t failed_ = 0;
  std::size_t warnings_ = 0;
  std::size_t rules_ = 0;
  std::size_t covered_ = 0;
  std::vector<std::string> uncovered_;
  std::string uncovered_json_;
};

}  // namespace

Status run_test(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  const std::vector<CaseFile> files = read_cases(arguments.operands, selection, problems);
  const auto reporter = make_reporter(arguments.output, "test");
  if (problems.any()) {
    reporter->finish({.problems = problems.texts()});
    return Status::not_looked;
  }
  Tester tester(arguments, selection, problems, *reporter);
  for (const CaseFile& file : files) tester.test(file);
  return tester.finish();
}

}  // namespace cli
