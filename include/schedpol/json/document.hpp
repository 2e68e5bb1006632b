// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bytes to a checked JSON document: whole and valid, within limits, without duplicate keys.
/// Readers disagree on which of two equal keys counts, so a document that has them cannot be
/// trusted to mean the same to the API server and to a policy.

#include <schedpol/core/field_error.hpp>

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::json {

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. Merging two lists compares each with each.
inline constexpr std::size_t max_tolerations = 2048;

/// Errors reported for one document; what comes after them is not looked for.
inline constexpr std::size_t max_reported_errors = 100;

enum class DocumentProblem {
  invalid_json,    ///< not JSON, not UTF-8, or a number out of range
  duplicate_key,   ///< an object has a key twice
  limit_exceeded,  ///< more bytes or levels than are read
};

namespace detail {

/// A place in a document, as a chain on the stack: its text is only built for an error.
struct Path {
  const Path* parent = nullptr;
  std::string_view name;  ///< of a field, or of a key in brackets
  std::size_t index = 0;  ///< of a list item
  enum class Step { root, field, key, item } step = Step::root;

  [[nodiscard]] Path field(std::string_view field_name) const {
    return {this, field_name, 0, Step::field};
  }
  [[nodiscard]] Path key(std::string_view key_name) const { return {this, key_name, 0, Step::key}; }
  [[nodiscard]] Path item(std::size_t item_index) const {
    return {this, {}, item_index, Step::item};
  }

  [[nodiscard]] std::string text() const {
    std::string path = parent != nullptr ? parent->text() : std::string();
    switch (step) {
      case Step::root: break;
      case Step::field:
        if (!path.empty()) path += '.';
        path.append(name);
        break;
      case Step::key: path.append("[").append(name).append("]"); break;
      case Step::item: path.append("[").append(std::to_string(index)).append("]"); break;
    }
    return path;
  }
};

/// The first duplicate key of an element and all below it. Recursion is bounded by the parser's
/// depth.
inline std::optional<FieldError> find_duplicate_key(const simdjson::dom::element& element,
                                                    const Path& path) {
  simdjson::dom::array array;
  if (element.get(array) == simdjson::SUCCESS) {
    std::size_t index = 0;
    for (const auto item : array) {
      if (auto found = find_duplicate_key(item, path.item(index++))) return found;
    }
    return std::nullopt;
  }
  simdjson::dom::object object;
  if (element.get(object) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::string_view> keys;
  keys.reserve(object.size());
  for (const auto member : object) {
    keys.push_back(member.key);
    if (auto found = find_duplicate_key(member.value, path.field(member.key))) return found;
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return std::nullopt;
  return FieldError{ErrorType::duplicate, path.field(*twice).text(), "",
                    "the key is there more than once"};
}

/// What the parser found, for a person.
[[nodiscard]] inline std::string parse_problem(simdjson::error_code code) {
  switch (code) {
    case simdjson::EMPTY: return "not valid JSON: there is nothing";
    case simdjson::UTF8_ERROR: return "not valid JSON: not UTF-8";
    case simdjson::STRING_ERROR:
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: return "not valid JSON: a string is malformed or not closed";
    case simdjson::NUMBER_ERROR: return "not valid JSON: a number is malformed or out of range";
    default: return "not valid JSON: the structure is malformed";
  }
}

}  // namespace detail

/// A parsed document. Lives as long as anything read from it, and stays where it is.
class Document {
 public:
  Document() = default;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Reads `bytes`, which need no padding and may go afterwards. True when the document is good;
  /// otherwise `problem` and `error` say why not. There is a root when it is good, and when a
  /// duplicate key is all that is wrong.
  [[nodiscard]] bool parse(std::string_view bytes) {
    const auto limit = [&](ErrorType type, std::string detail) {
      return fail(DocumentProblem::limit_exceeded, {type, "", "", std::move(detail)});
    };
    if (bytes.size() > max_document_bytes) {
      return limit(ErrorType::too_long,
                   "a document has at most " + std::to_string(max_document_bytes) + " bytes");
    }
    auto code = parser_.allocate(std::max(bytes.size(), simdjson::SIMDJSON_PADDING),
                                 max_document_depth + 1);
    if (code == simdjson::SUCCESS) code = parser_.parse(bytes.data(), bytes.size()).get(root_);
    if (code == simdjson::DEPTH_ERROR) {
      return limit(ErrorType::too_many,
                   "a document nests at most " + std::to_string(max_document_depth) + " levels");
    }
    if (code == simdjson::CAPACITY || code == simdjson::MEMALLOC) {
      return limit(ErrorType::too_long, "there is no memory for the document");
    }
    if (code != simdjson::SUCCESS) {
      return fail(DocumentProblem::invalid_json,
                  {ErrorType::invalid, "", "", detail::parse_problem(code)});
    }
    if (auto duplicate = detail::find_duplicate_key(root_, {})) {
      return fail(DocumentProblem::duplicate_key, std::move(*duplicate));
    }
    return true;
  }

  [[nodiscard]] simdjson::dom::element root() const noexcept { return root_; }
  [[nodiscard]] DocumentProblem problem() const noexcept { return problem_; }
  [[nodiscard]] const FieldError& error() const noexcept { return error_; }

 private:
  bool fail(DocumentProblem problem, FieldError error) {
    problem_ = problem;
    error_ = std::move(error);
    return false;
  }

  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  DocumentProblem problem_ = DocumentProblem::invalid_json;
  FieldError error_;
};

}  // namespace schedpol::json
