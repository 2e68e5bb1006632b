// SPDX-License-Identifier: Apache-2.0
// A report as PolicyReports (wgpolicyk8s.io), which dashboards of clusters read: one for each
// namespace, and a ClusterPolicyReport of what is in none, in a List that kubectl applies.

#include "report.hpp"

#include "../support/printable.hpp"

#include <array>
#include <iostream>
#include <iterator>
#include <map>

namespace cli {

namespace {

/// What a result may be, as the API spells it.
enum class Result { pass, fail, warn, error, skip };
constexpr std::string_view result_names[] = {"pass", "fail", "warn", "error", "skip"};

class PolicyReporter final : public Reporter {
 public:
  void add(const Entry& entry) override {
    if (entry.skipped) return add(entry, Result::skip, {});
    bool is_pass = entry.good;
    for (const Finding& finding : entry.findings) {
      // A note is no reason for anybody to look.
      if (finding.level == Level::note) continue;
      is_pass = false;
      add(entry,
          finding.code == "Undecided"     ? Result::error
          : finding.level == Level::error ? Result::fail
                                          : Result::warn,
          finding);
    }
    if (is_pass) add(entry, Result::pass, {});
  }

  /// There is no place in a report for what could not be looked at; it is on stderr.
  void finish(const Summary&) override {
    std::string items;
    for (const auto& [namespace_, report] : reports_)
      items += (items.empty() ? "" : ",\n") + written(namespace_, report);
    std::cout << R"({"apiVersion":"v1","kind":"List","items":[)" << '\n' << items << "\n]}\n";
  }

 private:
  struct Report {
    std::string results{};
    std::array<std::size_t, std::size(result_names)> counts{};
  };

  void add(const Entry& entry, Result result, const Finding& finding) {
    const ObjectName object = entry.object.value_or(ObjectName{});
    Report& report = reports_[object.namespace_];
    ++report.counts[static_cast<std::size_t>(result)];
    std::vector<std::pair<std::string, std::string>> resource;
    const auto say = [&](const char* name, const std::string& text) {
      if (!text.empty()) resource.emplace_back(name, json_text(text));
    };
    say("apiVersion", object.api_version);
    say("kind", object.kind);
    say("namespace", object.namespace_);
    say("name", object.name);
    std::vector<std::pair<std::string, std::string>> members = {
        {"source", json_text("schedpol")},
        {"policy", json_text("schedpol")},
        {"result", json_text(result_names[static_cast<std::size_t>(result)])},
        {"scored", "true"},
        {"message", json_text(finding.text.empty() ? entry.name + ": " + entry.verdict
                                                   : described(entry, finding))},
        {"resources", "[" + json_object(resource) + "]"}};
    if (!finding.code.empty()) members.emplace_back("rule", json_text(finding.code));
    report.results += (report.results.empty() ? "" : ",\n") + json_object(members);
  }

  static std::string written(const std::string& namespace_, const Report& report) {
    std::vector<std::pair<std::string, std::string>> counts;
    for (std::size_t i = 0; i < report.counts.size(); ++i)
      counts.emplace_back(result_names[i], std::to_string(report.counts[i]));
    std::vector<std::pair<std::string, std::string>> metadata = {{"name", json_text("schedpol")}};
    if (!namespace_.empty()) metadata.emplace_back("namespace", json_text(namespace_));
    return support::printable_json(json_object(
        {{"apiVersion", json_text("wgpolicyk8s.io/v1alpha2")},
         {"kind", json_text(namespace_.empty() ? "ClusterPolicyReport" : "PolicyReport")},
         {"metadata", json_object(metadata)},
         {"summary", json_object(counts)},
         {"results", "[" + report.results + "]"}}));
  }

  std::map<std::string, Report> reports_;
};

}  // namespace

std::unique_ptr<Reporter> make_policy_reporter() {
  return std::make_unique<PolicyReporter>();
}

}  // namespace cli
