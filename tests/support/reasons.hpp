// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is wrong, as tests list it: what it is called and its field.

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/admission.hpp>

#include "list.hpp"

#include <string>
#include <vector>

namespace schedpol::testing {

/// As in `OverheadMismatch spec.overhead`.
inline List reasons(const std::vector<Violation>& violations) {
  List list;
  for (const Violation& violation : violations)
    list.push_back(std::string(to_string(violation.code)) + " " + to_string(violation.field));
  return list;
}

/// As in `FieldValueRequired metadata.name`.
inline List reasons(const std::vector<FieldError>& errors) {
  List list;
  for (const FieldError& error : errors)
    list.push_back(std::string(to_string(error.type)) + " " + to_string(error.field));
  return list;
}

}  // namespace schedpol::testing
