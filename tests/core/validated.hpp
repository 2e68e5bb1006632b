// SPDX-License-Identifier: Apache-2.0
#pragma once

// What validation says.

#include <schedpol/core/validation.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace validated {

using schedpol::Affinity;
using schedpol::FieldError;
using schedpol::FieldPath;
using schedpol::OpenEnum;
using schedpol::validate;
using schedpol::testing::operator""_path;
using Errors = std::vector<FieldError>;
using Strings = std::vector<std::string>;

/// The errors as `TYPE FIELD`, without the prefix that all types have.
inline Strings said(const Errors& errors) {
  Strings lines;
  for (const FieldError& error : errors) {
    std::string_view type = to_string(error.type);
    type.remove_prefix(std::string_view("FieldValue").size());
    lines.push_back(std::string(type) + " " + to_string(error.field));
    CAPTURE(error);
    CHECK(!error.detail.empty());
  }
  return lines;
}

/// The errors wanted, with `root` before each field.
inline Strings below(const std::string& root, const Strings& wanted) {
  Strings lines;
  for (const std::string& line : wanted) {
    const auto space = line.find(' ');
    lines.push_back(line.substr(0, space + 1) + root + line.substr(space + 1));
  }
  return lines;
}

}  // namespace validated
