// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads the values of a file of cases: texts, truth values, codes of violations, pods, lists and
/// objects of them. A type of its own is read by an overload of `read_members`. null is absent; all
/// errors come together, each with its place in the file.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace policytest {

class CaseReader {
 public:
  struct Object {
    schedpol::FieldPath path{};
    simdjson::dom::object members{};
  };

  /// The object that the file is; nothing where it is none.
  [[nodiscard]] std::optional<Object> parse(std::string_view bytes) {
    // The library finds what is no document to be trusted, such as one with a key twice.
    schedpol::json::Document document;
    if (!document.parse(bytes)) {
      errors_.push_back(document.error());
      return std::nullopt;
    }
    simdjson::dom::element root;
    if (parser_.parse(bytes.data(), bytes.size()).get(root) != simdjson::SUCCESS)
      return std::nullopt;
    return object({}, root);
  }

  [[nodiscard]] std::vector<schedpol::FieldError> take_errors() && { return std::move(errors_); }

  /// Reports every member that is not among the known ones.
  void members(const Object& from, std::initializer_list<std::string_view> known) {
    for (const auto member : from.members) {
      if (std::find(known.begin(), known.end(), member.key) == known.end())
        report(schedpol::ErrorType::forbidden, from.path.child(member.key), "", "unknown field");
    }
  }

  /// A member that may be absent.
  template <class T>
  void read(const Object& from, std::string_view name, T& into) {
    simdjson::dom::element value;
    if (from.members.at_key(name).get(value) == simdjson::SUCCESS && !value.is_null())
      read_value(from.path.child(name), value, into);
  }

 private:
  using Element = simdjson::dom::element;

  void report(schedpol::ErrorType type, schedpol::FieldPath path, std::string_view value,
              std::string detail) {
    errors_.push_back({type, std::move(path), std::string(value), std::move(detail)});
  }
  void wrong_type(schedpol::FieldPath path, Element from, std::string_view wanted) {
    const std::string_view found = from.is_array()    ? "a list"
                                   : from.is_object() ? "an object"
                                   : from.is_string() ? "a string"
                                   : from.is_bool()   ? "true or false"
                                   : from.is_null()   ? "null"
                                                      : "a number";
    report(schedpol::ErrorType::type_invalid, std::move(path), "",
           "must be " + std::string(wanted) + ", not " + std::string(found));
  }

  [[nodiscard]] std::optional<Object> object(schedpol::FieldPath path, Element from) {
    simdjson::dom::object members;
    if (from.get(members) == simdjson::SUCCESS) return Object{std::move(path), members};
    wrong_type(std::move(path), from, "an object");
    return std::nullopt;
  }

  void read_value(const schedpol::FieldPath& path, Element from, std::string& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    into = text;
  }
  void read_value(const schedpol::FieldPath& path, Element from, bool& into) {
    if (from.get(into) != simdjson::SUCCESS) wrong_type(path, from, "true or false");
  }
  /// Every code there is: beyond the last one there is no text.
  void read_value(const schedpol::FieldPath& path, Element from, schedpol::ViolationCode& into) {
    std::string text;
    std::string supported = "supported are";
    read_value(path, from, text);
    if (!from.is_string()) return;
    for (int code = 0;; ++code) {
      const std::string_view known = to_string(static_cast<schedpol::ViolationCode>(code));
      if (known.empty()) break;
      if (known == text) return void(into = static_cast<schedpol::ViolationCode>(code));
      supported.append(code == 0 ? " " : ", ").append(known);
    }
    report(schedpol::ErrorType::not_supported, path, text, std::move(supported));
  }
  void read_value(const schedpol::FieldPath& path, Element from, schedpol::Pod& into) {
    auto pod = schedpol::json::decode<schedpol::Pod>(simdjson::minify(from));
    if (pod) into = *std::move(pod);
    for (schedpol::FieldError error : pod.errors()) {
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, Element from, std::optional<T>& into) {
    read_value(path, from, into.emplace());
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, Element from, std::vector<T>& into) {
    simdjson::dom::array array;
    if (from.get(array) != simdjson::SUCCESS) return wrong_type(path, from, "a list");
    for (const Element item : array) {
      const schedpol::FieldPath at = path.index(into.size());
      T& value = into.emplace_back();
      if (!item.is_null()) {
        read_value(at, item, value);
      } else {
        report(schedpol::ErrorType::required, at, "", "must not be null");
      }
    }
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, Element from, T& into) {
    if (const auto members = object(path, from)) read_members(*this, *members, into);
  }

  simdjson::dom::parser parser_;
  std::vector<schedpol::FieldError> errors_;
};

}  // namespace policytest
