// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What validators and compilers collect their errors in, in the order of the document.

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/impl/path_builder.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

class FieldErrors {
 public:
  void add(FieldError error) { errors_.push_back(std::move(error)); }
  void add(ErrorType type, FieldPath field, std::string_view value, std::string detail) {
    add({type, std::move(field), std::string(value), std::move(detail)});
  }
  void add(ErrorType type, const PathBuilder& place, std::string_view value, std::string detail) {
    add(type, place.path(), value, std::move(detail));
  }

  /// One FieldValueInvalid a problem, as the functions of `syntax.hpp` list them.
  void add_all(const PathBuilder& place, std::string_view value,
               std::vector<std::string> problems) {
    for (std::string& problem : problems) add(ErrorType::invalid, place, value, std::move(problem));
  }

  /// The errors of something else, or of something that could not be built.
  void append(std::vector<FieldError> errors) {
    for (FieldError& error : errors) add(std::move(error));
  }
  [[nodiscard]] bool empty() const noexcept { return errors_.empty(); }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
