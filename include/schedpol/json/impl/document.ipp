// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/document.hpp>

#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/dom_reader.hpp>
#include <schedpol/json/impl/duplicate_key.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/insides.hpp>
#include <schedpol/json/impl/plain_reader.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::json {

struct Document::Impl {
  /// False where it gives up; the text is none of the document then.
  [[nodiscard]] bool read_plain(std::string_view from) {
    constexpr std::size_t padding = detail::PlainReader::padding;
    text.reserve(from.size() + padding);
    text.assign(from).append(padding, '\0');
    return detail::PlainReader(text.data(), from.size(), duplicate_key).read(entries.get());
  }

  [[nodiscard]] std::optional<FieldError> read_thoroughly(std::string_view from) {
    return dom.read(from, text, entries.get(), duplicate_key);
  }

  void make_room(std::size_t for_bytes) {
    const std::size_t most = detail::PlainReader::most_entries(for_bytes);
    if (most <= room) return;
    entries.reset();
    room = 0;
    entries.reset(new detail::Entry[most]);
    room = most;
  }

  std::size_t bytes = 0;  ///< of the document
  std::string text;       ///< what the elements are parts of
  std::unique_ptr<detail::Entry[]> entries;
  std::size_t room = 0;  ///< entries
  detail::DuplicateKey duplicate_key;
  detail::DomReader dom;
};

SCHEDPOL_INLINE Document::Document() {
  fail(DocumentProblem::invalid_json, detail::DomReader::nothing_read());
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
  if (bytes.size() > max_document_bytes) {
    return fail(DocumentProblem::limit_exceeded,
                {ErrorType::too_long,
                 {},
                 "",
                 "a document has at most " + std::to_string(max_document_bytes) + " bytes"});
  }
  if (impl_ == nullptr) impl_ = new Impl;
  problem_ = DocumentProblem::invalid_json;  // also where memory runs out on the way
  impl_->bytes = bytes.size();
  impl_->make_room(bytes.size());
  if (!impl_->read_plain(bytes)) {
    if (auto wrong = impl_->read_thoroughly(bytes)) {
      const ErrorType type = wrong->type;
      return fail(type == ErrorType::duplicate ? DocumentProblem::duplicate_key
                  : type == ErrorType::invalid ? DocumentProblem::invalid_json
                                               : DocumentProblem::limit_exceeded,
                  *std::move(wrong));
    }
  }
  problem_.reset();
  return true;
}

SCHEDPOL_INLINE detail::Element DocumentInsides::root(const Document& document) {
  if (document.problem_) return {};
  return {document.impl_->text.data(), document.impl_->entries.get()};
}

SCHEDPOL_INLINE std::size_t DocumentInsides::bytes(const Document& document) {
  return document.impl_->bytes;
}

SCHEDPOL_INLINE detail::Element DocumentInsides::ambiguous_root(const Document& document) {
  if (document.problem_ && *document.problem_ != DocumentProblem::duplicate_key) return {};
  return {document.impl_->text.data(), document.impl_->entries.get()};
}

}  // namespace schedpol::json
