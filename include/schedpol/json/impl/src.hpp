// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bodies of everything in `json/`, for the one translation unit of a program that is built
/// with `SCHEDPOL_COMPILED`. The bodies of the rest are in `schedpol/impl/src.hpp`.

#if !defined(SCHEDPOL_COMPILED)
#error "schedpol/json/impl/src.hpp is for programs that are built with SCHEDPOL_COMPILED"
#endif

// What `decode` and `encode` take is compiled here, for whoever sees only their declarations.
#define SCHEDPOL_JSON_VALUE(...)                                              \
  template <>                                                                 \
  inline constexpr bool detail::is_value<__VA_ARGS__> = true;                 \
  template Result<__VA_ARGS__> decode<__VA_ARGS__>(std::string_view bytes);   \
  template Result<__VA_ARGS__> decode<__VA_ARGS__>(const Document& document); \
  template std::string encode<__VA_ARGS__>(const __VA_ARGS__& value);
#define SCHEDPOL_JSON_RESULT(...)                               \
  template <>                                                   \
  inline constexpr bool detail::is_written<__VA_ARGS__> = true; \
  template std::string encode<__VA_ARGS__>(const __VA_ARGS__& value);

#include <schedpol/json/impl/values.hpp>

// The rest comes after the bodies of these two, which it uses.
#include <schedpol/json/impl/apply_patch.ipp>
#include <schedpol/json/impl/configuration.ipp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/evaluate.ipp>
#include <schedpol/json/impl/extend.ipp>
#include <schedpol/json/impl/patch.ipp>
#include <schedpol/json/impl/patch_operation.ipp>
#include <schedpol/json/impl/review.ipp>

#undef SCHEDPOL_JSON_VALUE
#undef SCHEDPOL_JSON_RESULT
