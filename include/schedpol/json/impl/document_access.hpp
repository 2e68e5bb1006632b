// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the bodies of `json/` see of a document: its elements, which no public header names.

#include <schedpol/json/impl/elements.hpp>

#include <cstddef>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::json {

class Document;

namespace detail {

/// What stands there, for a person.
[[nodiscard]] inline std::string_view type_of(Element from) noexcept {
  switch (from.kind()) {
    case ElementKind::list: return "a list";
    case ElementKind::object: return "an object";
    case ElementKind::string: return "a string";
    case ElementKind::yes:
    case ElementKind::no: return "true or false";
    case ElementKind::null: return "null";
    case ElementKind::absent: return "nothing";
    case ElementKind::integer:
    case ElementKind::real: break;
  }
  return "a number";
}

}  // namespace detail

class DocumentAccess {
 public:
  /// The whole document; nothing where it is not good.
  [[nodiscard]] static detail::Element root(const Document& document);

  /// How many bytes it was read from.
  [[nodiscard]] static std::size_t bytes(const Document& document);

  /// The same as `root`, also where a duplicate key is all that is wrong: for what is echoed, not decided on.
  [[nodiscard]] static detail::Element ambiguous_root(const Document& document);
};

}  // namespace SCHEDPOL_NAMESPACE::json
