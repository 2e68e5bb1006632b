// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "../support/printable.hpp"

#include <schedpol/json/encode.hpp>

namespace cli {

std::string to_string(const ObjectName& object) {
  if (object.name.empty()) return object.kind;
  return object.kind + " " + (object.namespace_.empty() ? "" : object.namespace_ + "/") +
         object.name;
}

std::string to_string(const Place& place) {
  std::string text = support::printable(place.file);
  if (place.line > 0)
    text.append(":")
        .append(std::to_string(place.line))
        .append(":")
        .append(std::to_string(place.column));
  return text;
}

std::string_view to_string(Level level) noexcept {
  switch (level) {
    case Level::error: return "error";
    case Level::warning: return "warning";
    case Level::note: return "note";
  }
  return "";
}

Entry entry_of(const Finding& finding) {
  return {.good = finding.level != Level::error,
          .verdict = std::string(to_string(finding.level)),
          .place = finding.place,
          .findings = {finding}};
}

std::unique_ptr<Reporter> make_reporter(std::string_view format, std::string_view command) {
  if (format == "json") return make_json_reporter();
  if (format == "junit") return make_junit_reporter(command);
  if (format == "sarif") return make_sarif_reporter();
  if (format == "github") return make_github_reporter();
  if (format == "policyreport") return make_policy_reporter();
  return make_text_reporter();
}

std::string described(const Entry& entry, const Finding& finding) {
  return (entry.name.empty() ? "" : entry.name + ": ") + finding.text;
}

std::string json_object(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ',';
    text += json_text(name) + ':' + value;
  }
  return text + '}';
}

std::string json_text(std::string_view text) {
  return support::printable_json(schedpol::json::encode(std::string(text)));
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace cli
