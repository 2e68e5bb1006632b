// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds the known word that a misspelled word was meant to be. The two differ only in upper and lower
/// case, or in at most two letters (one in words of up to three letters) that are missing, added,
/// replaced, or swapped with the next letter.

#include <schedpol/version.hpp>

#include <span>
#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// `, did you mean `Exists``: the nearest word in `known`, the first of equally near ones. Empty if no
/// word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/did_you_mean.ipp>
#endif
