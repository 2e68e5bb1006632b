// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/decode.hpp>
#include <schedpol/json/impl/decoder.hpp>
#include <schedpol/json/impl/insides.hpp>
#include <schedpol/json/impl/schema.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json {

template <class T>
Result<T> decode(const Document& document) {
  static_assert(detail::is_value<T>, "decode.hpp lists what is read");
  const detail::Element root = DocumentInsides::root(document);
  if (!root.is_there()) return Result<T>(std::vector<FieldError>{document.error()});
  detail::Decoder decoder(DocumentInsides::bytes(document));
  Result<T> result(std::in_place);
  decoder.read({}, root, *result);
  if (!decoder.errors().empty()) result = decoder.take_errors();
  return result;
}

template <class T>
Result<T> decode(std::string_view bytes) {
  Document document;
  // A document that is not good says itself what is wrong.
  static_cast<void>(document.parse(bytes));
  return decode<T>(document);
}

}  // namespace schedpol::json

#include <schedpol/json/impl/values.hpp>
