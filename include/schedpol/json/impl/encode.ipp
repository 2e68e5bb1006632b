// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/encode.hpp>
#include <schedpol/json/impl/values.hpp>

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
std::string encode(const T& value) {
  static_assert(detail::is_one_of<T>(detail::Written{}), "encode.hpp lists what is written");
  detail::Writer out;
  write(out, value);  // of `detail`, by the type of `out`
  return std::move(out).take();
}

#if defined(SCHEDPOL_COMPILED)
namespace detail {

template <class T>
struct EncoderOf {
  std::string (*of_value)(const T&) = &encode<T>;
};

}  // namespace detail

/// As in `decode.ipp`.
template <class... T>
const void* encoders(detail::Types<T...>) {
  static constexpr struct : detail::EncoderOf<T>... {
  } all;
  return &all;
}
template const void* encoders(detail::Written);
#endif

}  // namespace SCHEDPOL_NAMESPACE::json
