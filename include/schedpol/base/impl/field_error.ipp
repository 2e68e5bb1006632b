// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// How an error type is spelled, and called in messages.
struct ErrorTypeTexts {
  std::string_view spelling;
  std::string_view message;
};

constexpr ErrorTypeTexts texts_of(ErrorType type) noexcept {
  switch (type) {
    case ErrorType::required: return {"FieldValueRequired", "required value"};
    case ErrorType::invalid: return {"FieldValueInvalid", "invalid value"};
    case ErrorType::not_supported: return {"FieldValueNotSupported", "unsupported value"};
    case ErrorType::forbidden: return {"FieldValueForbidden", "forbidden"};
    case ErrorType::duplicate: return {"FieldValueDuplicate", "duplicate value"};
    case ErrorType::too_long: return {"FieldValueTooLong", "too long"};
    case ErrorType::too_many: return {"FieldValueTooMany", "too many"};
    case ErrorType::type_invalid: return {"FieldValueTypeInvalid", "wrong type"};
  }
  return {"InternalError", ""};
}

}  // namespace detail

SCHEDPOL_INLINE void end_program(const std::vector<FieldError>& errors) noexcept {
  std::string why = "the value of a Result that has none was asked for";
  if (!errors.empty()) why += ": " + message(errors.front());
  end_program(why.c_str());
}

SCHEDPOL_INLINE std::string_view to_string(ErrorType type) noexcept {
  return detail::texts_of(type).spelling;
}

SCHEDPOL_INLINE std::string message(const FieldError& error) {
  if (error.field.empty() && !error.detail.empty()) return error.detail;
  std::string text =
      error.field.empty() ? std::string() : in_backticks(to_string(error.field)) + ": ";
  text += detail::texts_of(error.type).message;
  if (!error.bad_value.empty()) text += " " + in_backticks(error.bad_value);
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE
