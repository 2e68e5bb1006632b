// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/insides.hpp>

#include <algorithm>
#include <array>
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

/// Whether some key of an object may be there twice: never wrong where it says no. Keys of one
/// object tend to differ in their length, their beginning or their end.
class SeenKeys {
 public:
  void add(std::string_view key) noexcept {
    std::uint64_t hash = key.size() << 16U;
    if (!key.empty()) {
      hash ^= std::uint64_t{static_cast<unsigned char>(key.front())} << 8U ^
              static_cast<unsigned char>(key.back());
    }
    hash *= 0x9E3779B97F4A7C15U;  // as in Fibonacci hashing
    std::uint64_t& bits = bits_[hash >> 62U];
    const std::uint64_t bit = std::uint64_t{1} << (hash >> 56U & 63U);
    twice_ |= bits & bit;
    bits |= bit;
  }

  [[nodiscard]] bool collide() const noexcept { return twice_ != 0; }

 private:
  std::array<std::uint64_t, 4> bits_{};  ///< one of the 256 for each key, which others may share
  std::uint64_t twice_ = 0;              ///< those that two keys share
};

/// Walks through a document and finds the first object that has a key twice (inner ones before the
/// one around them, of one object's the first in byte order), or the first place that is too deep.
/// The parser lets one empty list or object too many pass.
class DocumentWalker {
 public:
  enum class Finding { nothing, duplicate_key, too_deep };

  /// `keys` is memory that is used again from one document to the next.
  explicit DocumentWalker(std::vector<std::string_view>& keys) : keys_(keys) {}

  [[nodiscard]] Finding walk(Element root) {
    return nests(root) ? walk({}, root, 0) : Finding::nothing;
  }

  /// Where the key is that is there twice.
  [[nodiscard]] FieldPath take_place() && { return std::move(place_); }

 private:
  /// Whether there is anything in it to walk through, so that places are only made for that.
  [[nodiscard]] static bool nests(Element element) noexcept {
    const simdjson::dom::element_type type = element.type();
    return type == simdjson::dom::element_type::OBJECT ||
           type == simdjson::dom::element_type::ARRAY;
  }

  /// Of an object or a list, with `depth` levels around it.
  [[nodiscard]] Finding walk(const Place& at, Element element, std::size_t depth) {
    if (depth == max_document_depth) return Finding::too_deep;
    simdjson::dom::object object;
    return element.get(object) == simdjson::SUCCESS
               ? walk_object(at, object, depth + 1)
               : walk_array(at, element.get_array().value_unsafe(), depth + 1);
  }

  [[nodiscard]] Finding walk_array(const Place& at, simdjson::dom::array array, std::size_t depth) {
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

  [[nodiscard]] Finding walk_object(const Place& at, simdjson::dom::object object,
                                    std::size_t depth) {
    const auto end = object.end();
    SeenKeys seen;
    for (auto member = object.begin(); member != end; ++member) {
      const std::string_view key = member.key();
      seen.add(key);
      const Element value = member.value();
      if (!nests(value)) continue;
      if (const Finding found = walk(at.child(key), value, depth); found != Finding::nothing)
        return found;
    }
    return seen.collide() && find_twice(at, object) ? Finding::duplicate_key : Finding::nothing;
  }

  [[nodiscard]] bool find_twice(const Place& at, simdjson::dom::object object) {
    keys_.clear();
    const auto end = object.end();
    for (auto member = object.begin(); member != end; ++member) keys_.push_back(member.key());
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    if (twice == keys_.end()) return false;
    place_ = at.child(*twice).path();
    return true;
  }

  std::vector<std::string_view>& keys_;  ///< of the object that may have one twice
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

SCHEDPOL_INLINE std::size_t DocumentInsides::bytes(const Document& document) {
  return document.impl_->padded.size() - simdjson::SIMDJSON_PADDING;
}

SCHEDPOL_INLINE std::optional<detail::Element> DocumentInsides::ambiguous_root(
    const Document& document) {
  if (document.problem_ && *document.problem_ != DocumentProblem::duplicate_key)
    return std::nullopt;
  return document.impl_->root;
}

}  // namespace schedpol::json
