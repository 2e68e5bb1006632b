// SPDX-License-Identifier: Apache-2.0
// A report as JUnit XML, which the test views of CI systems read: a suite with a case for each
// entry.

#include "report.hpp"

#include <iostream>

namespace cli {

namespace {

/// UTF-8 text as content or an attribute's value. XML 1.0 has no way to write most control
/// characters, nor U+FFFE and U+FFFF; those stand there in hexadecimal.
std::string xml_text(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out;
  const auto append_hex = [&](std::string_view bytes) {
    for (const char byte : bytes) {
      const auto bits = static_cast<unsigned char>(byte);
      out.append("\\x").append(1, hex[bits >> 4U]).append(1, hex[bits & 0xFU]);
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = text.substr(i, 3);
    switch (text[i]) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\t': out += "&#9;"; break;
      case '\n': out += "&#10;"; break;
      case '\r': out += "&#13;"; break;
      default:
        if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
          append_hex(three);
          i += 2;
        } else if (static_cast<unsigned char>(text[i]) < 0x20) {
          append_hex(text.substr(i, 1));
        } else {
          out += text[i];
        }
    }
  }
  return out;
}

class JunitReporter final : public Reporter {
 public:
  explicit JunitReporter(std::string_view command) : command_(command) {}

  void add(const Entry& entry) override {
    ++entries_;
    const std::string& name =
        entry.name.empty() && !entry.findings.empty() ? entry.findings[0].code : entry.name;
    cases_ += "    <testcase name=\"" + xml_text(name) + "\" classname=\"" +
              xml_text(entry.place.file.empty() ? command_ : entry.place.file) + "\" time=\"0\"";
    if (entry.good) {
      cases_ += "/>\n";
      return;
    }
    ++failures_;
    std::string message;
    std::string text;
    for (const Finding& finding : entry.findings) {
      if (message.empty()) message = finding.text;
      text +=
          (finding.place.file.empty() ? "" : to_string(finding.place) + ": ") + finding.text + '\n';
    }
    for (const Line& line : entry.lines)
      text += (line.kind == Line::Kind::added     ? "+ "
               : line.kind == Line::Kind::removed ? "- "
                                                  : "") +
              line.text + '\n';
    cases_ += ">\n      <failure type=\"" + xml_text(entry.verdict) + "\" message=\"" +
              xml_text(message.empty() ? entry.verdict : message) + "\">" + xml_text(text) +
              "</failure>\n    </testcase>\n";
  }

  void finish(const Summary& summary) override {
    for (const std::string& text : summary.problems) {
      cases_ += "    <testcase name=\"what could not be looked at\" classname=\"" + command_ +
                "\" time=\"0\">\n      <error type=\"problem\" message=\"" + xml_text(text) +
                "\"/>\n    </testcase>\n";
    }
    const std::size_t errors = summary.problems.size();
    const std::string counts = "tests=\"" + std::to_string(entries_ + errors) + "\" failures=\"" +
                               std::to_string(failures_) + "\" errors=\"" + std::to_string(errors) +
                               "\" time=\"0\"";
    std::string out;
    for (const std::string& line : summary.lines) out += xml_text(line) + '\n';
    std::cout << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"schedpol\" "
              << counts << ">\n  <testsuite name=\"schedpol " << xml_text(command_) << "\" "
              << counts << " skipped=\"0\">\n"
              << cases_ << "    <system-out>" << out
              << "</system-out>\n  </testsuite>\n</testsuites>\n";
  }

 private:
  std::string command_;
  std::size_t entries_ = 0;
  std::size_t failures_ = 0;
  std::string cases_;
};

}  // namespace

std::unique_ptr<Reporter> make_junit_reporter(std::string_view command) {
  return std::make_unique<JunitReporter>(command);
}

}  // namespace cli
