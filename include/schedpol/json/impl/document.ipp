// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/reader.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

inline FieldError not_json(const std::string& place, std::string_view wrong) {
  return {ErrorType::invalid, {}, "", "not valid JSON" + place + ": " + std::string(wrong)};
}

/// That what stands at a place is longer, or nests deeper, than a document may.
inline FieldError too_long(FieldPath place) {
  return {ErrorType::too_long, std::move(place), "",
          "a document has at most " + std::to_string(max_document_bytes) + " bytes"};
}
inline FieldError too_deep(FieldPath place) {
  return {ErrorType::too_many, std::move(place), "",
          "a document nests at most " + std::to_string(max_document_depth) + " levels"};
}

}  // namespace detail

struct Document::Impl {
  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { delete[] entries; }

  void make_room(std::size_t for_bytes) {
    const std::size_t most = detail::Reader::most_entries(for_bytes);
    if (most <= room) return;
    delete[] std::exchange(entries, nullptr);
    room = 0;
    entries = new detail::Entry[most];
    room = most;
  }

  [[nodiscard]] detail::Element root() const noexcept { return {text.data(), entries}; }

  std::size_t bytes = 0;             ///< of the document
  std::string text;                  ///< what the elements are parts of
  detail::Entry* entries = nullptr;  ///< owned, and not a vector's: that would write them all first
  std::size_t room = 0;              ///< entries
  detail::DuplicateKey duplicate_key;
};

/// What the bodies of `json/` see of a document: its elements, which no public header names.
class DocumentAccess {
 public:
  /// The whole document; nothing where it is not good.
  [[nodiscard]] static detail::Element root(const Document& document) {
    return document.problem_ ? detail::Element() : document.impl_->root();
  }

  /// How many bytes it was read from.
  [[nodiscard]] static std::size_t bytes(const Document& document) { return document.impl_->bytes; }

  /// The same as `root`, also where a duplicate key is all that is wrong: for what is echoed, not decided on.
  [[nodiscard]] static detail::Element ambiguous_root(const Document& document) {
    const bool is_there = document.problem_.value_or(DocumentProblem::duplicate_key) ==
                          DocumentProblem::duplicate_key;
    return is_there ? document.impl_->root() : detail::Element();
  }
};

SCHEDPOL_INLINE Document::Document() {
  fail(DocumentProblem::invalid_json, detail::not_json("", detail::Reader::nothing));
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
  if (bytes.size() > max_document_bytes)
    return fail(DocumentProblem::limit_exceeded, detail::too_long({}));
  if (impl_ == nullptr) impl_ = new Impl;
  problem_ = DocumentProblem::invalid_json;  // also where memory runs out on the way
  auto& [size, text, entries, room, duplicate_key] = *impl_;
  size = bytes.size();
  impl_->make_room(size);
  text.reserve(size + detail::Reader::padding);
  text.assign(bytes).append(detail::Reader::padding, '\0');
  detail::Reader reader(text.data(), size, duplicate_key);
  if (!reader.read(entries)) {
    if (reader.is_too_deep()) return fail(DocumentProblem::limit_exceeded, detail::too_deep({}));
    const bool is_empty = reader.wrong() == detail::Reader::nothing;
    return fail(DocumentProblem::invalid_json,
                detail::not_json(is_empty ? "" : " at byte " + std::to_string(reader.wrong_at()),
                                 reader.wrong()));
  }
  if (reader.has_duplicate_key()) {
    return fail(DocumentProblem::duplicate_key,
                {ErrorType::duplicate,
                 duplicate_key.place_in({}, {text.data(), entries}).value_or(FieldPath{}), "",
                 "the key is there more than once"});
  }
  problem_.reset();
  return true;
}

}  // namespace SCHEDPOL_NAMESPACE::json
