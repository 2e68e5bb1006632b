// SPDX-License-Identifier: Apache-2.0
// A report as one JSON object: `results`, a line each, and `summary`.

#include "report.hpp"

#include "../support/printable.hpp"

#include <iostream>

namespace cli {

namespace {

std::string json_place(const Place& place) {
  std::vector<std::pair<std::string, std::string>> members = {{"file", json_text(place.file)}};
  if (place.line > 0) {
    members.emplace_back("line", std::to_string(place.line));
    members.emplace_back("column", std::to_string(place.column));
  }
  return json_object(members);
}

class JsonReporter final : public Reporter {
 public:
  void add(const Entry& entry) override {
    std::cout << (is_first_ ? "{\"results\":[\n" : ",\n");
    is_first_ = false;
    std::vector<std::pair<std::string, std::string>> members = {
        {"verdict", json_text(entry.verdict)},
        {"good", entry.skipped ? "null"
                 : entry.good  ? "true"
                               : "false"}};
    const auto add = [&](const char* member, const std::string& text) {
      if (!text.empty()) members.emplace_back(member, json_text(text));
    };
    if (entry.object) {
      add("apiVersion", entry.object->api_version);
      add("kind", entry.object->kind);
      add("namespace", entry.object->namespace_);
    }
    members.emplace_back("name", json_text(entry.object ? entry.object->name : entry.name));
    if (!entry.place.file.empty()) members.emplace_back("place", json_place(entry.place));
    std::string findings;
    for (const Finding& finding : entry.findings) {
      std::vector<std::pair<std::string, std::string>> parts = {
          {"level", json_text(to_string(finding.level))},
          {"code", json_text(finding.code)},
          {"message", json_text(finding.text)}};
      if (!finding.place.file.empty()) parts.emplace_back("place", json_place(finding.place));
      findings += (findings.empty() ? "" : ",") + json_object(parts);
    }
    members.emplace_back("findings", "[" + findings + "]");
    members.insert(members.end(), entry.members.begin(), entry.members.end());
    std::cout << support::printable_json(json_object(members));
  }

  void finish(const Summary& summary) override {
    std::string problems;
    for (const std::string& text : summary.problems)
      problems += (problems.empty() ? "" : ",") + json_text(text);
    std::cout << (is_first_ ? "{\"results\":[" : "\n") << "],\"problems\":[" << problems
              << "],\"summary\":" << support::printable_json(json_object(summary.members)) << "}\n";
  }

 private:
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<Reporter> make_json_reporter() {
  return std::make_unique<JsonReporter>();
}

}  // namespace cli
