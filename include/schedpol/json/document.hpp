// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bytes to a checked JSON document, from which `decode` reads values:
/// 1. The document is complete and valid JSON in UTF-8, has at most `max_document_bytes` and nests at most
///    `max_document_depth` levels. Numbers may have any size. A byte order mark is not JSON.
/// 2. No object has a key twice. Parsers disagree on which of two equal keys counts, so such a document
///    might mean one thing to the API server and another to a policy.
/// Source: RFC 8259, sections 2 to 8.

#include <schedpol/base/field_error.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// Why bytes are not a document.
enum class DocumentProblem {
  invalid_json,    ///< not JSON, or not UTF-8
  duplicate_key,   ///< an object has a key twice
  limit_exceeded,  ///< too many bytes or levels
};

/// A document, good or not; only a good one can be read. It cannot be copied or moved. Its memory grows
/// with the longest document that it parses, and is reused for the next.
class Document {
 public:
  /// Nothing was parsed: not good.
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Parses `bytes`, which need no padding and need not outlive the call. True if the document is good;
  /// otherwise, `problem` and `error` say why not. The previous content is lost either way.
  [[nodiscard]] bool parse(std::string_view bytes);

  /// The problem; none if the document is good.
  [[nodiscard]] Optional<DocumentProblem> problem() const noexcept { return problem_; }

  /// The first problem for a person, with its place. Call it only if there is a problem.
  [[nodiscard]] const FieldError& error() const noexcept { return error_; }

 private:
  friend class DocumentAccess;
  struct Impl;

  bool fail(DocumentProblem problem, FieldError error);

  Impl* impl_ = nullptr;  ///< created by the first `parse`
  Optional<DocumentProblem> problem_;
  FieldError error_;
};

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/document.ipp>
#endif
