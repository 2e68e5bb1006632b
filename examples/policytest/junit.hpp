// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The results as JUnit XML, which the test views of CI systems read.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace policytest {

/// What became of one case; without differences it is as expected.
struct CaseResult {
  std::string name;
  std::vector<std::string> differences;
  std::vector<std::string> decided;
};

/// UTF-8 text as content or an attribute's value. XML 1.0 has no way to write most control
/// characters, nor U+FFFE and U+FFFF; those stand there in hexadecimal.
[[nodiscard]] inline std::string xml_text(std::string_view text) {
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

[[nodiscard]] inline std::string joined(const std::vector<std::string>& lines,
                                        std::string_view between) {
  std::string text;
  for (const std::string& line : lines) {
    if (!text.empty()) text += between;
    text += line;
  }
  return text;
}

/// One suite; `suite` tells it apart from others, and is the class of its cases too.
[[nodiscard]] inline std::string junit(std::string_view suite,
                                       const std::vector<CaseResult>& results) {
  std::size_t failures = 0;
  std::string cases;
  for (const CaseResult& result : results) {
    cases +=
        "  <testcase name=\"" + xml_text(result.name) + "\" classname=\"" + xml_text(suite) + "\"";
    if (result.differences.empty()) {
      cases += "/>\n";
      continue;
    }
    ++failures;
    cases += ">\n    <failure message=\"" + xml_text(joined(result.differences, "; ")) + "\">" +
             xml_text(joined(result.decided, "\n")) + "</failure>\n  </testcase>\n";
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xml_text(suite) +
         "\" tests=\"" + std::to_string(results.size()) + "\" failures=\"" +
         std::to_string(failures) + "\">\n" + cases + "</testsuite>\n";
}

}  // namespace policytest
