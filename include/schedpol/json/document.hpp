// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bytes to a checked JSON document, which `decode` reads values from:
/// 1. it is whole and valid JSON in UTF-8, of at most `max_document_bytes`, and nests at most
///    `max_document_depth` levels. Numbers may have any size, and a byte order mark is no JSON;
/// 2. no object of it has a key twice. Readers disagree on which of two equal keys counts, so a
///    document that has them cannot be trusted to mean the same to the API server and to a policy.
/// Source: RFC 8259, sections 2 to 8.

#include <schedpol/base/field_error.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// Why bytes are no document.
enum class DocumentProblem {
  invalid_json,    ///< not JSON, or not UTF-8
  duplicate_key,   ///< an object has a key twice
  limit_exceeded,  ///< more bytes or levels than are read
};

/// A document, good or not; nothing can be read from one that is not. Stays where it is. Its memory
/// grows with the longest document it reads and is used again for the next.
class Document {
 public:
  /// Not good: there is nothing.
  Document();
  ~Document();
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  /// Reads `bytes`, which need no padding and may go afterwards. True when the document is good;
  /// otherwise `problem` and `error` say why not. What it held before is gone either way.
  [[nodiscard]] bool parse(std::string_view bytes);

  /// What is wrong; nothing where the document is good.
  [[nodiscard]] Optional<DocumentProblem> problem() const noexcept { return problem_; }

  /// The same for a person, at the first place where it is wrong. Only where there is a problem.
  [[nodiscard]] const FieldError& error() const noexcept { return error_; }

 private:
  friend class DocumentAccess;
  struct Impl;

  bool fail(DocumentProblem problem, FieldError error);

  Impl* impl_ = nullptr;  ///< made by the first `parse`
  Optional<DocumentProblem> problem_;
  FieldError error_;
};

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/document.ipp>
#endif
