// SPDX-License-Identifier: Apache-2.0
// A report as JUnit XML, which the test views of CI systems read: a suite with a case for each
// entry.

#include "report.hpp"

#include "../support/printable.hpp"

#include <schedpol/base/quoting.hpp>

#include <iostream>

namespace cli {

namespace {

void append_hex(std::string& out, std::string_view bytes) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (const char byte : bytes) {
    const auto bits = static_cast<unsigned char>(byte);
    out.append("\\x").append(1, hex[bits >> 4U]).append(1, hex[bits & 0xFU]);
  }
}

/// Whether XML 1.0 can have the character, be it by its number.
bool is_in_xml(char32_t code) {
  return code >= 0x20 ? code != 0xFFFE && code != 0xFFFF
                      : code == '\t' || code == '\n' || code == '\r';
}

/// A text as content or an attribute's value. What is not printable is a character by its number;
/// what XML cannot have at all stands there in hexadecimal.
std::string xml_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = support::utf8_bytes(text);
    const std::string_view sequence = text.substr(0, size == 0 ? 1 : size);
    text.remove_prefix(sequence.size());
    if (size == 0 || !is_in_xml(support::code_point(sequence))) {
      append_hex(out, sequence);
    } else if (sequence == "&" || sequence == "<" || sequence == ">" || sequence == "\"" ||
               schedpol::unprintable_bytes(sequence) > 0) {
      out += "&#" + std::to_string(static_cast<unsigned>(support::code_point(sequence))) + ";";
    } else {
      out += sequence;
    }
  }
  return out;
}

std::string text_of(const Finding& finding) {
  return (finding.place.file.empty() ? "" : to_string(finding.place) + ": ") + finding.text + '\n';
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
    std::string message;
    std::string text;
    for (const Finding& finding : entry.findings) {
      if (message.empty()) message = finding.text;
      text += text_of(finding);
    }
    if (entry.skipped) {
      ++skipped_;
      cases_ +=
          ">\n      <skipped message=\"" + xml_text(entry.verdict) + "\"/>\n    </testcase>\n";
      return;
    }
    if (entry.good) {
      cases_ += text.empty()
                    ? "/>\n"
                    : ">\n      <system-out>" + xml_text(text) + "</system-out>\n    </testcase>\n";
      return;
    }
    ++failures_;
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
              << counts << " skipped=\"" << skipped_ << "\">\n"
              << cases_ << "    <system-out>" << out
              << "</system-out>\n  </testsuite>\n</testsuites>\n";
  }

 private:
  std::string command_;
  std::size_t entries_ = 0;
  std::size_t failures_ = 0;
  std::size_t skipped_ = 0;
  std::string cases_;
};

}  // namespace

std::unique_ptr<Reporter> make_junit_reporter(std::string_view command) {
  return std::make_unique<JunitReporter>(command);
}

}  // namespace cli
