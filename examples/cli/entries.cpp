// SPDX-License-Identifier: Apache-2.0
#include "entries.hpp"

#include <schedpol/base/quoting.hpp>

#include <utility>

namespace cli {

std::vector<Line> diff_of(std::span<const schedpol::Change> changes) {
  std::vector<Line> lines;
  const auto add = [&](Line::Kind kind, const schedpol::Change& change, const std::string& value,
                       std::string_view policy) {
    std::string text;
    schedpol::append_escaped(text, to_string(change.field), "");
    text += ": ";
    schedpol::append_escaped(text, value, "");
    if (!policy.empty()) text += " (by " + schedpol::in_backticks(policy) + ")";
    lines.push_back({kind, std::move(text)});
  };
  for (const schedpol::Change& change : changes) {
    if (change.from) add(Line::Kind::removed, change, *change.from, change.to ? "" : change.policy);
    if (change.to) add(Line::Kind::added, change, *change.to, change.policy);
  }
  return lines;
}

Level level_of(schedpol::engine::Mode mode) noexcept {
  switch (mode) {
    case schedpol::engine::Mode::enforce: return Level::error;
    case schedpol::engine::Mode::warn: return Level::warning;
    case schedpol::engine::Mode::audit: return Level::note;
  }
  return Level::error;
}

std::vector<Finding> findings_of(std::span<const schedpol::Violation> reasons, const Source& source,
                                 const schedpol::FieldPath& object, Level level) {
  std::vector<Finding> findings;
  for (const schedpol::Violation& reason : reasons)
    findings.push_back({level, std::string(to_string(reason.code)),
                        source.place(object.join(reason.field)), message(reason)});
  return findings;
}

void append_lines(std::vector<Line>& lines, std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back({Line::Kind::plain, std::string(text.substr(0, end))});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void append_count(std::string& text, std::size_t count, std::string_view what) {
  if (count == 0) return;
  text += (text.find(':') == std::string::npos ? ": " : ", ") + std::to_string(count) + " " +
          std::string(what);
}

}  // namespace cli
