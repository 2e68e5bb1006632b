// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/values.hpp>

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
Result<T> decode(const Document& document) {
  static_assert(detail::is_one_of<T>(detail::Read{}), "decode.hpp lists what is read");
  Result<T> result(std::in_place);
  if (const detail::Element root = DocumentAccess::root(document); root.is_there()) {
    detail::Decoder decoder(DocumentAccess::bytes(document));
    decoder.read({}, root, *result);
    if (!decoder.errors().empty()) result = decoder.take_errors();
  } else {
    result = std::vector<FieldError>{document.error()};
  }
  return result;  // the one object, which is not moved
}

template <class T>
Result<T> decode(std::string_view bytes) {
  Document document;
  // A document that is not good says itself what is wrong.
  static_cast<void>(document.parse(bytes));
  return decode<T>(document);
}

SCHEDPOL_INLINE std::string kind_of(const RawObject& object) {
  const auto text_of = [&](std::string_view name) {
    const auto found = object.find(name);
    auto text = found == object.end() ? Result<std::string>(std::in_place)
                                      : decode<std::string>(found->second.json);
    return text ? *std::move(text) : std::string();
  };
  const std::string proposed = text_of(detail::proposed_kind_field);
  std::string kind = text_of("kind");
  return kind.empty() && proposed == detail::proposed_kind ? proposed : kind;
}

#if defined(SCHEDPOL_COMPILED)
namespace detail {

template <class T>
struct DecodersOf {
  Result<T> (*of_bytes)(std::string_view) = &decode<T>;
  Result<T> (*of_document)(const Document&) = &decode<T>;
};

}  // namespace detail

/// Whoever sees only the declarations links with these: all of it is compiled, as its addresses are
/// kept.
template <class... T>
const void* decoders(detail::Types<T...>) {
  static constexpr struct : detail::DecodersOf<T>... {
  } all;
  return &all;
}
template const void* decoders(detail::Read);
#endif

}  // namespace SCHEDPOL_NAMESPACE::json
