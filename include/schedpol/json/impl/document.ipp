// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/insides.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json {

namespace detail {

using schedpol::detail::Place;

/// Walks through a document and finds the first object that has a key twice (inner ones before the
/// one around them, of one object's the first in byte order), or the first place that is too deep.
/// The parser lets one empty list or object too many pass.
class DocumentWalker {
 public:
  enum class Finding { nothing, duplicate_key, too_deep };

  /// `keys` is memory that is used again from one document to the next.
  explicit DocumentWalker(std::vector<std::string_view>& keys) : keys_(keys) { keys_.clear(); }

  [[nodiscard]] Finding walk(Element root) { return walk({}, root, 0); }

  /// Where the key is that is there twice.
  [[nodiscard]] FieldPath take_place() && { return std::move(place_); }

 private:
  /// Keys of an object up to which each is compared with those before it.
  static constexpr std::size_t few = 32;

  /// `depth` levels are around `element`.
  [[nodiscard]] Finding walk(const Place& at, Element element, std::size_t depth) {
    using simdjson::dom::element_type;
    const element_type type = element.type();
    if (type != element_type::OBJECT && type != element_type::ARRAY) return Finding::nothing;
    if (depth == max_document_depth) return Finding::too_deep;
    return type == element_type::OBJECT ? walk_object(at, element, depth + 1)
                                        : walk_array(at, element, depth + 1);
  }

  /// Whether there is anything in it to walk through, so that places are only made for that.
  [[nodiscard]] static bool nests(Element element) noexcept {
    const simdjson::dom::element_type type = element.type();
    return type == simdjson::dom::element_type::OBJECT ||
           type == simdjson::dom::element_type::ARRAY;
  }

  [[nodiscard]] Finding walk_array(const Place& at, Element element, std::size_t depth) {
    const simdjson::dom::array array = element.get_array().value_unsafe();
    const auto end = array.end();
    std::size_t index = 0;
    for (auto item = array.begin(); item != end; ++item, ++index) {
      const Element value = *item;
      if (!nests(value)) continue;
      if (const Finding found = walk(at.index(index), value, depth); found != Finding::nothing)
        return found;
    }
    return Finding::nothing;
  }

  [[nodiscard]] Finding walk_object(const Place& at, Element element, std::size_t depth) {
    const simdjson::dom::object object = element.get_object().value_unsafe();
    const auto end = object.end();
    const std::size_t first = keys_.size();
    std::uint64_t seen = 0;
    bool has_duplicate = false;
    for (auto member = object.begin(); member != end; ++member) {
      const std::string_view key = member.key();
      const std::uint64_t bit = bit_of(key);
      if ((seen & bit) != 0 && keys_.size() - first <= few)
        has_duplicate = has_duplicate || is_among(first, key);
      seen |= bit;
      keys_.push_back(key);
      const Element value = member.value();
      if (!nests(value)) continue;
      if (const Finding found = walk(at.child(key), value, depth); found != Finding::nothing)
        return found;
    }
    const bool is_large = keys_.size() - first > few;
    if ((has_duplicate || is_large) && find_twice(at, first)) return Finding::duplicate_key;
    keys_.resize(first);
    return Finding::nothing;
  }

  /// One of 64 bits, which different keys may share. Keys of one object tend to differ in their
  /// length, their beginning or their end.
  [[nodiscard]] static std::uint64_t bit_of(std::string_view key) noexcept {
    std::uint64_t hash = key.size() << 16U;
    if (!key.empty()) {
      hash ^= std::uint64_t{static_cast<unsigned char>(key.front())} << 8U ^
              static_cast<unsigned char>(key.back());
    }
    return std::uint64_t{1} << (hash * 0x9E3779B97F4A7C15U >> 58U);  // as in Fibonacci hashing
  }

  [[nodiscard]] bool is_among(std::size_t first, std::string_view key) const noexcept {
    for (std::size_t i = first; i < keys_.size(); ++i) {
      if (keys_[i] == key) return true;
    }
    return false;
  }

  [[nodiscard]] bool find_twice(const Place& at, std::size_t first) {
    const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, keys_.end());
    const auto twice = std::adjacent_find(begin, keys_.end());
    if (twice == keys_.end()) return false;
    place_ = at.child(*twice).path();
    return true;
  }

  std::vector<std::string_view>& keys_;  ///< of the objects that are not closed yet
  FieldPath place_;
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

struct Document::Impl {
  simdjson::dom::parser parser;
  std::string padded;                  ///< the bytes, with what the parser reads beyond them
  std::vector<std::string_view> keys;  ///< those of `DocumentWalker`
  detail::Element root;
};

SCHEDPOL_INLINE Document::Document() {
  fail(DocumentProblem::invalid_json,
       {ErrorType::invalid, {}, "", detail::parse_problem(simdjson::EMPTY)});
}

SCHEDPOL_INLINE Document::~Document() {
  delete impl_;
}

SCHEDPOL_INLINE bool Document::fail(DocumentProblem problem, FieldError error) {
  problem_ = problem;
  error_ = std::move(error);
  return false;
}

SCHEDPOL_INLINE bool Document::parse(std::string_view bytes) {
  const auto limit = [&](ErrorType type, std::string detail) {
    return fail(DocumentProblem::limit_exceeded, {type, {}, "", std::move(detail)});
  };
  if (bytes.size() > max_document_bytes) {
    return limit(ErrorType::too_long,
                 "a document has at most " + std::to_string(max_document_bytes) + " bytes");
  }
  if (impl_ == nullptr) impl_ = new Impl;
  auto& [parser, padded, keys, root] = *impl_;
  padded.assign(bytes).append(simdjson::SIMDJSON_PADDING, ' ');
  auto code = simdjson::SUCCESS;
  if (parser.capacity() < padded.size())
    code = parser.allocate(padded.size(), max_document_depth + 1);
  if (code == simdjson::SUCCESS) code = parser.parse(padded.data(), bytes.size(), false).get(root);
  if (code == simdjson::CAPACITY || code == simdjson::MEMALLOC)
    return limit(ErrorType::too_long, "there is no memory for the document");
  if (code != simdjson::SUCCESS && code != simdjson::DEPTH_ERROR) {
    return fail(DocumentProblem::invalid_json,
                {ErrorType::invalid, {}, "", detail::parse_problem(code)});
  }
  using Finding = detail::DocumentWalker::Finding;
  detail::DocumentWalker walker(keys);
  const Finding found = code == simdjson::DEPTH_ERROR ? Finding::too_deep : walker.walk(root);
  if (found == Finding::too_deep) {
    return limit(ErrorType::too_many,
                 "a document nests at most " + std::to_string(max_document_depth) + " levels");
  }
  if (found == Finding::duplicate_key) {
    return fail(DocumentProblem::duplicate_key,
                {ErrorType::duplicate, std::move(walker).take_place(), "",
                 "the key is there more than once"});
  }
  problem_.reset();
  error_ = {};
  return true;
}

SCHEDPOL_INLINE std::optional<detail::Element> DocumentInsides::root(const Document& document) {
  if (document.problem_) return std::nullopt;
  return document.impl_->root;
}

SCHEDPOL_INLINE std::optional<detail::Element> DocumentInsides::ambiguous_root(
    const Document& document) {
  if (document.problem_ && *document.problem_ != DocumentProblem::duplicate_key)
    return std::nullopt;
  return document.impl_->root;
}

}  // namespace schedpol::json
