// SPDX-License-Identifier: Apache-2.0
// A report as SARIF 2.1.0, which code scanning reads: a result for each finding, none when all is
// well.

#include "commands.hpp"
#include "report.hpp"

#include <algorithm>
#include <iostream>

namespace cli {

namespace {

/// The path of a file as the path of a URI.
std::string uri_of(std::string_view file) {
  constexpr std::string_view plain = "-._~/";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string uri;
  for (const char c : file) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || plain.find(c) != std::string_view::npos;
    const auto bits = static_cast<unsigned char>(c);
    if (is_plain) {
      uri += c;
    } else {
      uri.append("%").append(1, hex[bits >> 4U]).append(1, hex[bits & 0xFU]);
    }
  }
  return uri;
}

class SarifReporter final : public Reporter {
 public:
  SarifReporter() {
    std::cout << R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",)"
              << R"("runs":[{"results":[)";
  }

  void add(const Entry& entry) override {
    for (const Finding& finding : entry.findings) {
      const Place& place = finding.place.file.empty() ? entry.place : finding.place;
      std::vector<std::pair<std::string, std::string>> members = {
          {"ruleId", json_text(finding.code)},
          {"ruleIndex", std::to_string(rule(finding.code))},
          {"level", json_text(to_string(finding.level))},
          {"message", json_object({{"text", json_text(described(entry, finding))}})}};
      if (!place.file.empty()) {
        std::string physical =
            R"({"artifactLocation":)" + json_object({{"uri", json_text(uri_of(place.file))}});
        if (place.line > 0)
          physical +=
              R"(,"region":)" + json_object({{"startLine", std::to_string(place.line)},
                                             {"startColumn", std::to_string(place.column)}});
        members.emplace_back("locations", R"([{"physicalLocation":)" + physical + "}}]");
      }
      std::cout << (is_first_ ? "\n" : ",\n") << json_object(members);
      is_first_ = false;
    }
  }

  void finish(const Summary& summary) override {
    std::string rules;
    std::string problems;
    for (const std::string& text : summary.problems)
      problems += (problems.empty() ? "" : ",") +
                  json_object({{"level", "\"error\""},
                               {"message", json_object({{"text", json_text(text)}})}});
    for (const std::string& code : rules_)
      rules += (rules.empty() ? "" : ",") + json_object({{"id", json_text(code)}});
    std::cout << R"(],"columnKind":"unicodeCodePoints","invocations":[{"executionSuccessful":)"
              << (problems.empty() ? "true" : "false") << R"(,"toolExecutionNotifications":[)"
              << problems << R"(]}],"tool":{"driver":{"name":"schedpol","version":)"
              << json_text(version_text()) << R"(,"rules":[)" << rules << "]}}}]}\n";
  }

 private:
  std::size_t rule(const std::string& code) {
    const auto found = std::find(rules_.begin(), rules_.end(), code);
    if (found != rules_.end()) return static_cast<std::size_t>(found - rules_.begin());
    rules_.push_back(code);
    return rules_.size() - 1;
  }

  bool is_first_ = true;
  std::vector<std::string> rules_;
};

}  // namespace

std::unique_ptr<Reporter> make_sarif_reporter() {
  return std::make_unique<SarifReporter>();
}

}  // namespace cli
