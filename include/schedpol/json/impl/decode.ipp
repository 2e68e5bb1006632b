// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/decode.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/values.hpp>

#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
Result<T> decode(const Document& document) {
  static_assert(detail::is_one_of<T>(detail::Values{}), "decode.hpp lists what is read");
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

#if defined(SCHEDPOL_COMPILED)
/// Whoever sees only the declarations links with these: all of it is compiled, as its addresses are
/// listed.
template <class... T>
const void* decoders(detail::Types<T...>) {
  using Function = void (*)();
  static const Function all[] = {
      reinterpret_cast<Function>(static_cast<Result<T> (*)(std::string_view)>(&decode<T>))...,
      reinterpret_cast<Function>(static_cast<Result<T> (*)(const Document&)>(&decode<T>))...};
  return all;
}
template const void* decoders(detail::Values);
#endif

}  // namespace SCHEDPOL_NAMESPACE::json
