// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/texts.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE Texts::Texts(std::initializer_list<Text> texts) {
  texts_.reserve(texts.size());
  for (const Text& text : texts) texts_.emplace_back(text.value);
}

SCHEDPOL_INLINE bool Texts::contains(std::string_view text) const noexcept {
  for (const std::string& listed : texts_) {
    if (listed == text) return true;
  }
  return false;
}

SCHEDPOL_INLINE void Texts::push_back(std::string text) {
  texts_.push_back(std::move(text));
}

}  // namespace SCHEDPOL_NAMESPACE
