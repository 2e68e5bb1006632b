// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/did_you_mean.hpp>
#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::string did_you_mean(std::string_view word,
                                         std::span<const std::string_view> known) {
  return detail::did_you_mean(word, known);
}

}  // namespace SCHEDPOL_NAMESPACE
