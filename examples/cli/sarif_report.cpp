// SPDX-License-Identifier: Apache-2.0
// A report as SARIF 2.1.0, which code scanning reads: a result for each finding, none when all is
// well.

#include "codes.hpp"
#include "commands.hpp"
#include "report.hpp"

#include "../support/printable.hpp"

#include <algorithm>
#include <iostream>

namespace cli {

namespace {

/// How many results code scanning shows of a run.
constexpr std::size_t most_results = 5000;

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

std::string sarif_text(std::string_view text) {
  return json_object({{"text", json_text(text)}});
}

/// The id of a rule is stable; its name is for people, and so has to be another one.
std::string described_rule(const std::string& code) {
  const CodeText text = text_of(code);
  return json_object(
      {{"id", json_text(code)},
       {"name", json_text(text.name.empty() ? words_of(code) : std::string(text.name))},
       {"shortDescription", sarif_text(text.meaning)},
       {"fullDescription", sarif_text(std::string(text.meaning) + " " + std::string(text.help))},
       {"help", sarif_text(text.help)}});
}

class SarifReporter final : public Reporter {
 public:
  SarifReporter() {
    std::cout << R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",)"
              << R"("runs":[{"results":[)";
  }

  void add(const Entry& entry) override {
    for (const Finding& finding : entry.findings) {
      if (results_ == most_results) {
        ++left_out_;
        continue;
      }
      const Place& place = finding.place.file.empty() ? entry.place : finding.place;
      std::vector<std::pair<std::string, std::string>> members = {
          {"ruleId", json_text(finding.code)},
          {"ruleIndex", std::to_string(rule(finding.code))},
          {"level", json_text(to_string(finding.level))},
          {"message", sarif_text(described(entry, finding))}};
      if (!place.file.empty()) {
        std::string physical =
            R"({"artifactLocation":)" + json_object({{"uri", json_text(uri_of(place.file))}});
        if (place.line > 0)
          physical +=
              R"(,"region":)" + json_object({{"startLine", std::to_string(place.line)},
                                             {"startColumn", std::to_string(place.column)}});
        members.emplace_back("locations", R"([{"physicalLocation":)" + physical + "}}]");
      }
      std::cout << (results_ == 0 ? "\n" : ",\n") << support::printable_json(json_object(members));
      ++results_;
    }
  }

  void finish(const Summary& summary) override {
    std::string rules;
    std::string notifications;
    const auto notify = [&](Level level, const std::string& text) {
      notifications +=
          (notifications.empty() ? "" : ",") +
          json_object({{"level", json_text(to_string(level))}, {"message", sarif_text(text)}});
    };
    for (const std::string& text : summary.problems) notify(Level::error, text);
    if (left_out_ > 0)
      notify(Level::warning, counted(left_out_, "result") + " beyond the first " +
                                 std::to_string(most_results) + (left_out_ == 1 ? " is" : " are") +
                                 " left out");
    for (const std::string& text : summary.lines) notify(Level::note, text);
    for (const std::string& code : rules_)
      rules += (rules.empty() ? "" : ",") + described_rule(code);
    std::cout << R"(],"columnKind":"unicodeCodePoints","invocations":[{"executionSuccessful":)"
              << (summary.problems.empty() ? "true" : "false")
              << R"(,"toolExecutionNotifications":[)" << notifications
              << R"(]}],"tool":{"driver":{"name":"schedpol","version":)"
              << json_text(version_text()) << R"(,"rules":[)" << rules << R"(]}},"properties":)"
              << json_object(summary.members) << "}]}\n";
  }

 private:
  std::size_t rule(const std::string& code) {
    const auto found = std::find(rules_.begin(), rules_.end(), code);
    if (found != rules_.end()) return static_cast<std::size_t>(found - rules_.begin());
    rules_.push_back(code);
    return rules_.size() - 1;
  }

  std::size_t results_ = 0;
  std::size_t left_out_ = 0;
  std::vector<std::string> rules_;
};

}  // namespace

std::unique_ptr<Reporter> make_sarif_reporter() {
  return std::make_unique<SarifReporter>();
}

}  // namespace cli
