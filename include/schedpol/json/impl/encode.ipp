// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/encode.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/impl/writer.hpp>

#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE::json {

template <class T>
std::string encode(const T& value) {
  static_assert(detail::is_value<T> || detail::is_written<T>, "encode.hpp lists what is written");
  detail::Writer out;
  write(out, value);  // of `detail`, by the type of `out`
  return std::move(out).take();
}

}  // namespace SCHEDPOL_NAMESPACE::json

#include <schedpol/json/impl/values.hpp>
