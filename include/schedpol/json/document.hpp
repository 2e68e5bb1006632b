// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bytes to a checked JSON document: whole and valid, within limits, without duplicate keys.
/// Readers disagree on which of two equal keys counts, so a document that has them cannot be
/// trusted to mean the same to the API server and to a policy.

#include <schedpol/core/field_error.hpp>

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// Whether any object of a parsed document has a key twice: one pass over simdjson's tape, on which
/// the values of a document stand in their order. Which key and where, `find_duplicate_key` says.
class DuplicateKeys {
 public:
  /// `keys` is memory that is used again from one document to the next.
  DuplicateKeys(const simdjson::dom::document& document, std::vector<std::uint64_t>& keys)
      : tape_(document.tape.get()),
        strings_(document.string_buf.get()),
        end_((tape_[0] & payload) - 1),
        keys_(keys) {
    if (keys_.size() < end_ / 2 + 1) keys_.resize(end_ / 2 + 1);
  }

  [[nodiscard]] bool found() && {
    std::array<Open, max_document_depth + 1> outer;  // what is around the one that is open
    std::size_t depth = 0;
    std::size_t count = 0;  // keys of the objects that are not closed yet
    Open open = {0, 0, false};
    for (std::size_t at = 1; at < end_;) {
      if (open.is_object && tag(at) == '"') {
        if (is_duplicate(open, tape_[at++] & payload, count++)) return true;
      }
      const char value = tag(at++);
      if (value == '"') continue;
      if (value == '{' || value == '[') {
        outer[depth++] = open;
        open = {count, 0, value == '{'};
      } else if (value == '}' || value == ']') {
        if (count - open.first_key > few && is_duplicate_among_many(open, count)) return true;
        count = open.first_key;
        open = outer[--depth];
      } else if (value == 'l' || value == 'u' || value == 'd') {
        ++at;  // a number has its value in a word of its own
      }
    }
    return false;
  }

 private:
  static constexpr std::uint64_t payload = (std::uint64_t{1} << 56U) - 1;

  /// Keys of an object up to which each is compared with those before it.
  static constexpr std::size_t few = 32;

  /// An object or list that is not closed yet. `seen` has a bit for each key, which different keys
  /// may share.
  struct Open {
    std::size_t first_key;
    std::uint64_t seen;
    bool is_object;
  };

  [[nodiscard]] char tag(std::size_t at) const noexcept {
    return static_cast<char>(tape_[at] >> 56U);
  }

  /// A key by its place among the strings, where its length stands before it.
  [[nodiscard]] std::string_view key(std::uint64_t place) const noexcept {
    std::uint32_t length = 0;
    std::memcpy(&length, strings_ + place, sizeof length);
    return {reinterpret_cast<const char*>(strings_ + place + sizeof length), length};
  }

  /// Takes in a key, the `count`th of those that are open; whether its object has it already.
  bool is_duplicate(Open& object, std::uint64_t place, std::size_t count) noexcept {
    const std::string_view text = key(place);
    // Keys of one object tend to differ in their length, their beginning or their end. The strings
    // on the tape have their length before them, so that there are always four bytes that end with
    // the last, and a zero behind them, so that the empty one has a first byte too.
    std::uint32_t tail = 0;
    std::memcpy(&tail, strings_ + place + text.size(), sizeof tail);
    const std::uint64_t hash = (text.size() << 40U ^ std::uint64_t{tail} << 8U ^
                                static_cast<unsigned char>(*text.data())) *
                               0x9E3779B97F4A7C15U;  // as in Fibonacci hashing
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 58U);
    if ((object.seen & bit) != 0 && count - object.first_key < few) {
      for (std::size_t i = object.first_key; i < count; ++i) {
        if (key(keys_[i]) == text) return true;
      }
    }
    object.seen |= bit;
    keys_[count] = place;
    return false;
  }

  /// The keys of a large object are compared when it is closed, by their order.
  [[nodiscard]] bool is_duplicate_among_many(const Open& object, std::size_t count) const {
    std::vector<std::string_view> keys;
    keys.reserve(count - object.first_key);
    for (std::size_t i = object.first_key; i < count; ++i) keys.push_back(key(keys_[i]));
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
  }

  const std::uint64_t* tape_;
  const std::uint8_t* strings_;
  std::size_t end_;
  std::vector<std::uint64_t>& keys_;  ///< of the objects that are not closed yet
};

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

/// A parsed document. Lives as long as anything read from it, and stays where it is. Its memory
/// grows with the longest document it reads and is used again for the next.
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
    padded_.assign(bytes).append(simdjson::SIMDJSON_PADDING, ' ');
    auto code = simdjson::SUCCESS;
    if (parser_.capacity() < padded_.size())
      code = parser_.allocate(padded_.size(), max_document_depth + 1);
    if (code == simdjson::SUCCESS)
      code = parser_.parse(padded_.data(), bytes.size(), false).get(root_);
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
    if (!detail::DuplicateKeys(parser_.doc, keys_).found()) return true;
    auto duplicate = detail::find_duplicate_key(root_, {});
    return fail(DocumentProblem::duplicate_key, duplicate ? *std::move(duplicate) : FieldError{});
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
  std::string padded_;               ///< the bytes, with what the parser reads beyond them
  std::vector<std::uint64_t> keys_;  ///< those of `DuplicateKeys`
  simdjson::dom::element root_;
  DocumentProblem problem_ = DocumentProblem::invalid_json;
  FieldError error_;
};

}  // namespace schedpol::json
