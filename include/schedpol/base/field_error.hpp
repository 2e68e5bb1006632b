// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with an object, and where: the error types and field paths of the Kubernetes API
/// server (apimachinery, `util/validation/field`). Errors are data; only `message` makes text of them.

#include <schedpol/base/field_path.hpp>
#include <schedpol/base/optional.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The API server's error types, spelled by `to_string` as in a Status object's causes.
enum class ErrorType {
  required,       ///< a value is missing, or empty where it must not be
  invalid,        ///< a value breaks its syntax or its bounds
  not_supported,  ///< a value is not one of the known words
  forbidden,      ///< a field must not be set, given the others
  duplicate,      ///< a value is listed twice, or a name is used twice
  too_long,       ///< more bytes than permitted
  too_many,       ///< more entries than permitted
  type_invalid,   ///< a value has the wrong JSON type
};

[[nodiscard]] std::string_view to_string(ErrorType type) noexcept;

/// One problem of an object. `field` is the path in the object as its author wrote it
/// (`spec.allowed.tolerations[2].effects[0]`), `bad_value` the value there (empty if there is
/// none), `detail` what the value should be.
struct FieldError {
  ErrorType type = ErrorType::invalid;
  FieldPath field{};
  std::string bad_value{};
  std::string detail{};

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. An error without a field
/// is about the whole document; its message is the detail alone.
[[nodiscard]] std::string message(const FieldError& error);

/// Ends the program, because it asked for the value of a result that has these errors instead.
[[noreturn]] void end_program(const std::vector<FieldError>& errors) noexcept;

/// A value, or every problem that kept it from being built, with the names of `std::expected`. True means
/// that there is a value. There are errors exactly if there is no value, unless they were moved out. A
/// caller that asks for a missing value or error has a bug: the program says why and ends
/// (`std::abort`). So no caller takes an empty object for an admitted one. A temporary result returns
/// its value by value, never a reference.
template <class T>
class Result {
 public:
  /// A result with a value.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  /// A result with a default-constructed value, to be filled in place.
  explicit Result(std::in_place_t) : value_(std::in_place) {}

  /// No value. Callers that look only at the list would take an empty one for success, so one error
  /// without details replaces it.
  Result(std::vector<FieldError> errors)  // NOLINT(google-explicit-constructor)
      : errors_(std::move(errors)) {
    if (errors_.empty()) errors_.push_back(FieldError{});
  }

  [[nodiscard]] explicit operator bool() const noexcept { return value_.has_value(); }
  /// The same as `operator bool`.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }

  /// Every problem; empty if there is a value.
  [[nodiscard]] const std::vector<FieldError>& errors() const& noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> errors() && noexcept { return std::move(errors_); }

  /// The first error. Call it only if the result is false.
  [[nodiscard]] const FieldError& error() const& noexcept {
    if (errors_.empty()) end_program("the error of a Result that has none was asked for");
    return errors_.front();
  }
  [[nodiscard]] FieldError error() && noexcept { return std::as_const(*this).error(); }

  /// The value. Call it only if the result is true.
  [[nodiscard]] const T& value() const& noexcept {
    if (!value_) end_program(errors_);
    return *value_;
  }
  [[nodiscard]] T& value() & noexcept {
    if (!value_) end_program(errors_);
    return *value_;
  }
  [[nodiscard]] T value() && noexcept { return std::move(value()); }
  [[nodiscard]] const T& operator*() const& noexcept { return value(); }
  [[nodiscard]] T& operator*() & noexcept { return value(); }
  [[nodiscard]] T operator*() && noexcept { return std::move(value()); }
  [[nodiscard]] const T* operator->() const& noexcept { return &value(); }
  const T* operator->() const&& = delete;

 private:
  std::optional<T> value_;
  std::vector<FieldError> errors_;
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/field_error.ipp>
#endif
