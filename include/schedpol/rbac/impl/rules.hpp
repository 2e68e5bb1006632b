// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE::rbac::detail {

inline bool lists(const Texts& texts, std::string_view text) noexcept {
  return texts.contains(text) || texts.contains("*");
}

}  // namespace SCHEDPOL_NAMESPACE::rbac::detail
