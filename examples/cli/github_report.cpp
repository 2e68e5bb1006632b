// SPDX-License-Identifier: Apache-2.0
// A report as workflow commands of GitHub Actions, which show as annotations of the files, and the
// closing line as a notice of the run.

#include "report.hpp"

#include "../support/printable.hpp"

#include <iostream>

namespace cli {

namespace {

/// As data, or as the value of a property; always one line.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : support::printable(text)) {
    switch (c) {
      case '%': out += "%25"; break;
      case ':': out += is_property ? "%3A" : ":"; break;
      case ',': out += is_property ? "%2C" : ","; break;
      default: out += c;
    }
  }
  return out;
}

class GithubReporter final : public Reporter {
 public:
  void add(const Entry& entry) override {
    for (const Finding& finding : entry.findings) {
      const Place& place = finding.place.file.empty() ? entry.place : finding.place;
      const std::string_view command =
          finding.level == Level::note ? "notice" : to_string(finding.level);
      std::cout << "::" << command << ' ';
      if (!place.file.empty()) {
        std::cout << "file=" << escaped(place.file, true) << ',';
        if (place.line > 0) std::cout << "line=" << place.line << ",col=" << place.column << ',';
      }
      std::cout << "title=" << escaped(finding.code, true)
                << "::" << escaped(described(entry, finding), false) << '\n';
    }
  }

  void finish(const Summary& summary) override {
    for (const std::string& text : summary.problems)
      std::cout << "::error title=schedpol::" << escaped(text, false) << '\n';
    for (const std::string& line : summary.lines)
      std::cout << "::notice title=schedpol::" << escaped(line, false) << '\n';
  }
};

}  // namespace

std::unique_ptr<Reporter> make_github_reporter() {
  return std::make_unique<GithubReporter>();
}

}  // namespace cli
