// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads the values of a file of cases: texts, truth values, numbers, codes of violations, JSON as it
/// is, lists and objects of them. A type of its own is read by an overload of `read_members`. null is absent; all
/// errors come together, each with its place in the file.

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/field_path.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/json/decode.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

class CaseReader {
 public:
  struct Object {
    schedpol::FieldPath path{};
    schedpol::json::RawObject members{};
  };

  /// The object that the file is; nothing where it is none.
  [[nodiscard]] std::optional<Object> parse(std::string_view bytes) {
    Object whole;
    if (!decode_value({}, bytes, whole.members)) return std::nullopt;
    return whole;
  }

  [[nodiscard]] std::vector<schedpol::FieldError> take_errors() && { return std::move(errors_); }

  void report(schedpol::ErrorType type, schedpol::FieldPath path, std::string_view value,
              std::string detail) {
    errors_.push_back({type, std::move(path), std::string(value), std::move(detail)});
  }

  /// Reports every member that is not among the known ones.
  void members(const Object& from, std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : from.members) {
      if (std::find(known.begin(), known.end(), name) == known.end())
        report(schedpol::ErrorType::forbidden, from.path.child(name), "", "unknown field");
    }
  }

  /// A member that may be absent.
  template <class T>
  void read(const Object& from, std::string_view name, T& into) {
    const auto found = from.members.find(name);
    if (found != from.members.end() && !found->second.json.empty())
      read_value(from.path.child(name), found->second.json, into);
  }

 private:
  /// What the library reads; false where it cannot.
  template <class T>
  bool decode_value(const schedpol::FieldPath& path, std::string_view json, T& into) {
    auto value = schedpol::json::decode<T>(json);
    if (value) into = *std::move(value);
    for (schedpol::FieldError error : value.errors()) {
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
    return static_cast<bool>(value);
  }

  void read_value(const schedpol::FieldPath& path, std::string_view json, std::string& into) {
    decode_value(path, json, into);
  }
  void read_value(const schedpol::FieldPath& path, std::string_view json, bool& into) {
    decode_value(path, json, into);
  }
  void read_value(const schedpol::FieldPath& path, std::string_view json, std::int64_t& into) {
    decode_value(path, json, into);
  }
  void read_value(const schedpol::FieldPath& path, std::string_view json,
                  schedpol::json::RawObject& into) {
    decode_value(path, json, into);
  }
  void read_value(const schedpol::FieldPath&, std::string_view json,
                  schedpol::json::RawMessage& into) {
    into.json = json;
  }
  /// Every code there is: beyond the last one there is no text.
  void read_value(const schedpol::FieldPath& path, std::string_view json,
                  schedpol::ViolationCode& into) {
    std::string text;
    std::string supported = "supported are";
    if (!decode_value(path, json, text)) return;
    for (int code = 0;; ++code) {
      const std::string_view known = to_string(static_cast<schedpol::ViolationCode>(code));
      if (known.empty()) break;
      if (known == text) return void(into = static_cast<schedpol::ViolationCode>(code));
      supported.append(code == 0 ? " " : ", ").append(known);
    }
    report(schedpol::ErrorType::not_supported, path, text, std::move(supported));
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, std::string_view json, std::optional<T>& into) {
    read_value(path, json, into.emplace());
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, std::string_view json, std::vector<T>& into) {
    std::vector<schedpol::json::RawMessage> items;
    decode_value(path, json, items);
    for (const schedpol::json::RawMessage& item : items) {
      const schedpol::FieldPath at = path.index(into.size());
      T& value = into.emplace_back();
      if (!item.json.empty()) {
        read_value(at, item.json, value);
      } else {
        report(schedpol::ErrorType::required, at, "", "must not be null");
      }
    }
  }
  template <class T>
  void read_value(const schedpol::FieldPath& path, std::string_view json, T& into) {
    Object object{path};
    if (decode_value(path, json, object.members)) read_members(*this, object, into);
  }

  std::vector<schedpol::FieldError> errors_;
};

}  // namespace cli
