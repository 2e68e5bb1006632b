// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A text that nobody lists: one stands for all others.

#include <schedpol/version.hpp>

#include <set>
#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::detail {

/// `name`, or `name-1`, `name-2`, ...: the first that is not among them. No number.
inline std::string fresh_name(const std::string& name, const std::set<std::string_view>& listed) {
  std::string text = name;
  for (int i = 1; listed.contains(text); ++i) text = name + "-" + std::to_string(i);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
