// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::string_view to_string(ErrorType type) noexcept {
  switch (type) {
    case ErrorType::required: return "FieldValueRequired";
    case ErrorType::invalid: return "FieldValueInvalid";
    case ErrorType::not_supported: return "FieldValueNotSupported";
    case ErrorType::forbidden: return "FieldValueForbidden";
    case ErrorType::duplicate: return "FieldValueDuplicate";
    case ErrorType::too_long: return "FieldValueTooLong";
    case ErrorType::too_many: return "FieldValueTooMany";
    case ErrorType::type_invalid: return "FieldValueTypeInvalid";
  }
  return "InternalError";
}

SCHEDPOL_INLINE std::string message(const FieldError& error) {
  if (error.field.empty() && !error.detail.empty()) return error.detail;
  std::string text =
      error.field.empty() ? std::string() : in_backticks(to_string(error.field)) + ": ";
  switch (error.type) {
    case ErrorType::required: text += "required value"; break;
    case ErrorType::invalid: text += "invalid value"; break;
    case ErrorType::not_supported: text += "unsupported value"; break;
    case ErrorType::forbidden: text += "forbidden"; break;
    case ErrorType::duplicate: text += "duplicate value"; break;
    case ErrorType::too_long: text += "too long"; break;
    case ErrorType::too_many: text += "too many"; break;
    case ErrorType::type_invalid: text += "wrong type"; break;
  }
  if (!error.bad_value.empty()) text += " " + in_backticks(error.bad_value);
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE
