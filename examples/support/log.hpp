// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Logs: one line each on stderr, `time=2026-01-31T12:00:00.000Z level=info msg="..." key=value`. A
/// text with anything but plain characters is quoted, and long ones are cut, so that whatever a
/// client sent stays one line. Any thread may log.

#include <initializer_list>
#include <string_view>

namespace support {

struct LogField {
  std::string_view key;
  std::string_view value;
};

/// What happened as it should.
void log_info(std::string_view message, std::initializer_list<LogField> fields = {});

/// What goes on, but somebody should look at.
void log_warning(std::string_view message, std::initializer_list<LogField> fields = {});

/// What ends the program, or keeps it from its work.
void log_error(std::string_view message, std::initializer_list<LogField> fields = {});

}  // namespace support
