// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with an object, and where: the error types and field paths of the Kubernetes API
/// server (apimachinery, `util/validation/field`). Errors are data; `message` is their only text.

#include <schedpol/base/field_path.hpp>
#include <schedpol/base/optional.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The API server's error types, spelled by `to_string` as in a Status object's causes.
enum class ErrorType {
  required,       ///< a value is missing, or empty where it must not be
  invalid,        ///< a value breaks its syntax or its bounds
  not_supported,  ///< a word outside its vocabulary
  forbidden,      ///< a field that must not be there, given the others
  duplicate,      ///< a value listed or a name used twice
  too_long,       ///< more bytes than permitted
  too_many,       ///< more entries than permitted
  type_invalid,   ///< another JSON type than the field's
};

[[nodiscard]] std::string_view to_string(ErrorType type) noexcept;

/// One problem of an object. `field` is the place in the object as its author wrote it
/// (`spec.allowed.tolerations[2].effects[0]`), `bad_value` what stands there (empty when nothing
/// does), `detail` what should.
struct FieldError {
  ErrorType type = ErrorType::invalid;
  FieldPath field{};
  std::string bad_value{};
  std::string detail{};

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. An error of a whole
/// document, without a field, is its detail alone.
[[nodiscard]] std::string message(const FieldError& error);

/// Says that the value was asked for of a result that has these errors, and ends the program.
[[noreturn]] void end_program(const std::vector<FieldError>& errors) noexcept;

/// A value, or every problem that kept it from being built, in the words of `std::expected`. True means
/// there is a value; there are errors exactly when there is none, unless they were taken out. Asking
/// for the value where there are errors, or for the error where there is none, is a mistake of the
/// caller and ends the program (`std::abort`), which says why: so no empty object is taken for one that
/// was admitted. A temporary result gives its value, no reference.
template <class T>
class Result {
 public:
  /// There is a value.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  /// There is a default-constructed value, to be filled in where it stands.
  explicit Result(std::in_place_t) : value_(std::in_place) {}

  /// No value. An empty list of errors would read as success to whoever looks at the list, so it is
  /// replaced by one error without details.
  Result(std::vector<FieldError> errors)  // NOLINT(google-explicit-constructor)
      : errors_(std::move(errors)) {
    if (errors_.empty()) errors_.push_back(FieldError{});
  }

  [[nodiscard]] explicit operator bool() const noexcept { return value_.has_value(); }
  /// The same by its name.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }

  /// Every problem; none where there is a value.
  [[nodiscard]] const std::vector<FieldError>& errors() const& noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> errors() && noexcept { return std::move(errors_); }

  /// The first of them. Only where the result is false.
  [[nodiscard]] const FieldError& error() const& noexcept {
    if (errors_.empty()) end_program("the error of a Result that has none was asked for");
    return errors_.front();
  }
  [[nodiscard]] FieldError error() && noexcept { return std::as_const(*this).error(); }

  /// The value. Only where the result is true.
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
