// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The thorough one of two readers of documents, by simdjson: it decides on every document that the
/// quick one (`plain_reader.hpp`) gives up at, and says what is wrong. simdjson is known here alone.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/json/impl/duplicate_key.hpp>
#include <schedpol/json/impl/elements.hpp>

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::json::detail {

using schedpol::detail::Place;

/// Walks through a document and finds the first object that has a key twice (inner ones before the
/// one around them, of one object's the first in byte order), or the first place that is too deep.
/// The parser lets one empty list or object too many pass.
class DocumentWalker {
 public:
  enum class Finding { nothing, duplicate_key, too_deep };

  explicit DocumentWalker(DuplicateKey& duplicate_key) : duplicate_key_(duplicate_key) {}

  [[nodiscard]] Finding walk(Element root) { return walk({}, root, 0); }

  /// Where the key is that is there twice.
  [[nodiscard]] FieldPath take_place() && { return std::move(place_); }

 private:
  /// Of what has `depth` levels around it.
  [[nodiscard]] Finding walk(const Place& at, Element element, std::size_t depth) {
    ElementItems items;
    ElementMembers members;
    if (element.get(members)) {
      return depth == max_document_depth ? Finding::too_deep : walk_object(at, members, depth + 1);
    }
    if (element.get(items)) {
      return depth == max_document_depth ? Finding::too_deep : walk_list(at, items, depth + 1);
    }
    return Finding::nothing;
  }

  [[nodiscard]] Finding walk_list(const Place& at, ElementItems items, std::size_t depth) {
    std::size_t index = 0;
    for (const Element item : items) {
      if (const Finding found = walk(at.index(index++), item, depth); found != Finding::nothing)
        return found;
    }
    return Finding::nothing;
  }

  [[nodiscard]] Finding walk_object(const Place& at, ElementMembers members, std::size_t depth) {
    for (const ElementMember member : members) {
      if (const Finding found = walk(at.child(member.key), member.value, depth);
          found != Finding::nothing)
        return found;
    }
    if (!duplicate_key_.is_in(members)) return Finding::nothing;
    place_ = at.child(duplicate_key_.find(members)).path();
    return Finding::duplicate_key;
  }

  DuplicateKey& duplicate_key_;
  FieldPath place_;
};

/// Takes the elements of the parser over into a text and entries, which are enough.
class DomCopier {
 public:
  DomCopier(std::string& text, Entry* entries) : text_(text), entries_(entries) {}

  void copy(simdjson::dom::element from) {
    using Type = simdjson::dom::element_type;
    switch (from.type()) {
      case Type::OBJECT: return copy_object(from.get_object().value_unsafe());
      case Type::ARRAY: return copy_array(from.get_array().value_unsafe());
      case Type::STRING: return add(ElementKind::string, from.get_string().value_unsafe());
      case Type::INT64: return add(ElementKind::integer, simdjson::minify(from));
      case Type::UINT64: return add(ElementKind::natural, simdjson::minify(from));
      case Type::DOUBLE: return add(ElementKind::real, simdjson::minify(from));
      case Type::BOOL:
        return add(from.get_bool().value_unsafe() ? ElementKind::yes : ElementKind::no, {});
      case Type::NULL_VALUE: return add(ElementKind::null, {});
    }
  }

 private:
  void add(ElementKind kind, std::string_view text) {
    *entries_++ = {kind, text_.size(), text.size()};
    text_ += text;
  }

  void copy_object(simdjson::dom::object object) {
    Entry* const head = entries_++;
    std::size_t count = 0;
    const auto end = object.end();
    for (auto member = object.begin(); member != end; ++member, ++count) {
      add(ElementKind::string, member.key());
      copy(member.value());
    }
    close(head, ElementKind::object, count);
  }

  void copy_array(simdjson::dom::array array) {
    Entry* const head = entries_++;
    std::size_t count = 0;
    const auto end = array.end();
    for (auto item = array.begin(); item != end; ++item, ++count) copy(*item);
    close(head, ElementKind::list, count);
  }

  void close(Entry* head, ElementKind kind, std::size_t count) noexcept {
    *head = Entry::container(kind, count, static_cast<std::size_t>(entries_ - head) - 1);
  }

  std::string& text_;
  Entry* entries_;  ///< the next
};

class DomReader {
 public:
  /// Reads `bytes` into `text` and `entries`, which take `PlainReader::most_entries`, and returns
  /// what is wrong: `duplicate` is all that is, `too_many` and `too_long` are limits, anything else
  /// is no JSON. The elements are there where nothing is wrong, or no more than a duplicate.
  [[nodiscard]] std::optional<FieldError> read(std::string_view bytes, std::string& text,
                                               Entry* entries, DuplicateKey& duplicate_key) {
    text.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
    text.assign(bytes).append(simdjson::SIMDJSON_PADDING, ' ');
    simdjson::dom::element root;
    auto code = simdjson::SUCCESS;
    if (parser_.capacity() < text.size())
      code = parser_.allocate(text.size(), max_document_depth + 1);
    if (code == simdjson::SUCCESS) code = parser_.parse(text.data(), bytes.size(), false).get(root);
    if (code == simdjson::CAPACITY || code == simdjson::MEMALLOC)
      return wrong(ErrorType::too_long, "there is no memory for the document");
    if (code != simdjson::SUCCESS && code != simdjson::DEPTH_ERROR)
      return wrong(ErrorType::invalid, describe(code));
    using Finding = DocumentWalker::Finding;
    DocumentWalker walker(duplicate_key);
    Finding found = Finding::too_deep;
    if (code == simdjson::SUCCESS) {
      text.clear();
      DomCopier(text, entries).copy(root);
      found = walker.walk({text.data(), entries});
    }
    switch (found) {
      case Finding::nothing: break;
      case Finding::too_deep:
        return wrong(ErrorType::too_many,
                     "a document nests at most " + std::to_string(max_document_depth) + " levels");
      case Finding::duplicate_key:
        return FieldError{ErrorType::duplicate, std::move(walker).take_place(), "",
                          "the key is there more than once"};
    }
    return std::nullopt;
  }

  /// What is wrong with a document of no bytes.
  [[nodiscard]] static FieldError nothing_read() {
    return wrong(ErrorType::invalid, describe(simdjson::EMPTY));
  }

 private:
  [[nodiscard]] static FieldError wrong(ErrorType type, std::string detail) {
    return {type, {}, "", std::move(detail)};
  }

  /// What the parser found, for a person.
  [[nodiscard]] static std::string describe(simdjson::error_code code) {
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

  simdjson::dom::parser parser_;
};

}  // namespace schedpol::json::detail
