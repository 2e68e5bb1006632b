// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include "printable.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <string>

#include <unistd.h>

namespace support {

namespace {

/// Of one text of a line.
constexpr std::size_t most_bytes = 2048;

bool is_plain(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
         std::string_view("-_./:@+,[]*%").find(c) != std::string_view::npos;
}

void append_text(std::string& line, std::string_view text) {
  if (!text.empty() && text.size() <= most_bytes && std::all_of(text.begin(), text.end(), is_plain))
    return void(line += text);
  std::string quoted;
  for (const char c : text.substr(0, most_bytes)) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  line += '"';
  line += printable(quoted);
  if (text.size() > most_bytes) line += "...";
  line += '"';
}

void append_time(std::string& line) {
  using std::chrono::system_clock;
  const auto now = system_clock::now();
  const std::time_t seconds = system_clock::to_time_t(now);
  const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(
      now - system_clock::from_time_t(seconds));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  line.append(text, size);
  std::snprintf(text, sizeof text, ".%03dZ", static_cast<int>(rest.count()));
  line += text;
}

void log(std::string_view level, std::string_view message, std::initializer_list<LogField> fields) {
  std::string line = "time=";
  append_time(line);
  line.append(" level=").append(level).append(" msg=");
  append_text(line, message);
  for (const auto& [key, value] : fields) {
    line.append(" ").append(key).append("=");
    append_text(line, value);
  }
  line += '\n';
  // One call, so that lines of several threads do not mix; there is nobody to tell if it fails.
  if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
}

}  // namespace

void log_info(std::string_view message, std::initializer_list<LogField> fields) {
  log("info", message, fields);
}

void log_warning(std::string_view message, std::initializer_list<LogField> fields) {
  log("warning", message, fields);
}

void log_error(std::string_view message, std::initializer_list<LogField> fields) {
  log("error", message, fields);
}

}  // namespace support
