// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which known word somebody meant who wrote one that is nearly it: the same but for upper and lower
/// case, or but for at most two letters (one in words of up to three) left out, put in, replaced or
/// swapped with the next.

#include <schedpol/version.hpp>

#include <span>
#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// `, did you mean `Exists``, the nearest of `known` and the first of equals; empty where nothing is
/// near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/did_you_mean.ipp>
#endif
