// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the bodies of `json/` see of a document: the elements of the parser, which no public header
/// names.

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace schedpol::json {

class Document;

namespace detail {

/// A part of a parsed document; valid as long as the document stays as it is.
using Element = simdjson::dom::element;

/// What stands there, for a person.
[[nodiscard]] inline std::string_view type_of(Element from) noexcept {
  switch (from.type()) {
    case simdjson::dom::element_type::ARRAY: return "a list";
    case simdjson::dom::element_type::OBJECT: return "an object";
    case simdjson::dom::element_type::STRING: return "a string";
    case simdjson::dom::element_type::BOOL: return "true or false";
    case simdjson::dom::element_type::NULL_VALUE: return "null";
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE: break;
  }
  return "a number";
}

}  // namespace detail

class DocumentInsides {
 public:
  /// The whole document; nothing where it is not good.
  [[nodiscard]] static std::optional<detail::Element> root(const Document& document);

  /// How many bytes it was read from.
  [[nodiscard]] static std::size_t bytes(const Document& document);

  /// The same as `root`, also where a duplicate key is all that is wrong: for what is echoed, not decided on.
  [[nodiscard]] static std::optional<detail::Element> ambiguous_root(const Document& document);
};

}  // namespace schedpol::json
