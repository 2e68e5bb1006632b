// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/labels.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE const std::string* find_label(const Labels& labels, std::string_view key) noexcept {
  const auto it = labels.find(key);
  return it == labels.end() ? nullptr : &it->second;
}

}  // namespace SCHEDPOL_NAMESPACE
