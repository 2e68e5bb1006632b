// SPDX-License-Identifier: Apache-2.0
// A report for people: a line for each entry, what there is to say of it below, and a closing line.

#include "report.hpp"
#include "terminal.hpp"

#include "../support/printable.hpp"

#include <iostream>

namespace cli {

namespace {

using support::printable;

Colour colour_of(Level level) {
  return level == Level::error     ? Colour::red
         : level == Level::warning ? Colour::yellow
                                   : Colour::none;
}

class TextReporter final : public Reporter {
 public:
  void add(const Entry& entry) override {
    if (!entry.name.empty()) write_head(entry);
    for (const Finding& finding : entry.findings) {
      if (!entry.name.empty()) std::cout << "  ";
      if (!finding.place.file.empty()) std::cout << to_string(finding.place) << ": ";
      std::cout << coloured(to_string(finding.level), colour_of(finding.level)) << ": "
                << printable(finding.text) << " [" << finding.code << "]\n";
    }
    for (const Line& one : entry.lines) {
      const std::string text = printable(one.text);
      switch (one.kind) {
        case Line::Kind::plain: std::cout << "  " << text; break;
        case Line::Kind::added: std::cout << "  " << coloured("+ " + text, Colour::green); break;
        case Line::Kind::removed: std::cout << "  " << coloured("- " + text, Colour::red); break;
      }
      std::cout << '\n';
    }
    is_first_ = false;
  }

  void finish(const Summary& summary) override {
    if (!is_first_ && !summary.lines.empty()) std::cout << '\n';
    for (const std::string& text : summary.lines) std::cout << printable(text) << '\n';
  }

 private:
  static void write_head(const Entry& entry) {
    constexpr std::size_t verdict_width = 8;
    std::cout << coloured(entry.verdict, entry.skipped ? Colour::yellow
                                         : entry.good  ? Colour::green
                                                       : Colour::red);
    for (std::size_t i = entry.verdict.size(); i < verdict_width; ++i) std::cout << ' ';
    std::cout << "  " << coloured(printable(entry.name), Colour::bold);
    if (!entry.place.file.empty()) std::cout << "  " << to_string(entry.place);
    std::cout << '\n';
  }

  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<Reporter> make_text_reporter() {
  return std::make_unique<TextReporter>();
}

}  // namespace cli
