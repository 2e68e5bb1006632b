// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a document that is decoded, in words. The rules are those of `decode.hpp`.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/path_builder.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/elements.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// What stands there, for a person.
[[nodiscard]] inline std::string_view type_of(Element from) noexcept {
  switch (from.kind()) {
    case ElementKind::list: return "a list";
    case ElementKind::object: return "an object";
    case ElementKind::string: return "a string";
    case ElementKind::yes:
    case ElementKind::no: return "true or false";
    case ElementKind::null: return "null";
    case ElementKind::absent: return "nothing";
    case ElementKind::integer:
    case ElementKind::real: break;
  }
  return "a number";
}

/// The errors of all parts of one document.
class DecodeErrors {
 public:
  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> take_errors() { return std::exchange(errors_, {}); }

  void report(ErrorType type, const PathBuilder& at, std::string_view bad_value,
              std::string detail) {
    if (errors_.size() < max_reported_errors)
      errors_.push_back({type, at.path(), std::string(bad_value), std::move(detail)});
  }

  /// Reports what stands there in place of what is wanted: `a string`.
  void wrong_type(const PathBuilder& at, Element from, std::string_view wanted) {
    report(ErrorType::type_invalid, at, "",
           "must be " + std::string(wanted) + ", not " + std::string(type_of(from)));
  }

 protected:
  void null_item(const PathBuilder& at) { report(ErrorType::required, at, "", "must not be null"); }

  void no_name(const PathBuilder& at) {
    const PathBuilder metadata = at.child("metadata");
    report(ErrorType::required, metadata.child("name"), "", "an object has a name");
  }

  void too_many_listed(const PathBuilder& at, std::size_t size) {
    report(ErrorType::too_many, at, std::to_string(size),
           "all lists of a document hold at most " + std::to_string(max_listed_objects) +
               " objects, or one for each " + std::to_string(min_bytes_of_listed) + " bytes of it");
  }

  void spelled_twice(const PathBuilder& at, std::string_view usual, std::string_view other) {
    report(
        ErrorType::duplicate, at, "",
        "`" + std::string(usual) + "` and `" + std::string(other) + "` are spellings of one field");
  }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
