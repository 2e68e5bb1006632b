// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <schedpol/core/quoting.hpp>
#include <schedpol/json/encode.hpp>

namespace cli {

namespace {

/// The bytes of the UTF-8 sequence that a text begins with; 0 where there is none.
std::size_t sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto first = byte(0);
  const std::size_t size = first < 0x80                     ? 1
                           : first >= 0xC2 && first <= 0xDF ? 2
                           : first >= 0xE0 && first <= 0xEF ? 3
                           : first >= 0xF0 && first <= 0xF4 ? 4
                                                            : 0;
  if (size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  const bool is_long = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
  const bool is_beyond = (first == 0xED && byte(1) > 0x9F) || (first == 0xF4 && byte(1) > 0x8F);
  return is_long || is_beyond ? 0 : size;
}

}  // namespace

std::string to_string(const Place& place) {
  std::string text;
  schedpol::append_escaped(text, place.file, "");
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

std::unique_ptr<Reporter> make_reporter(std::string_view format, std::string_view command) {
  if (format == "json") return make_json_reporter();
  if (format == "junit") return make_junit_reporter(command);
  if (format == "sarif") return make_sarif_reporter();
  if (format == "github") return make_github_reporter();
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
  std::string clean;
  while (!text.empty()) {
    const std::size_t size = sequence(text);
    if (size == 0) clean += "\xEF\xBF\xBD";
    clean += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return schedpol::json::encode(clean);
}

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + ' ' + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace cli
