// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/label_selector.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// What a selector of a policy that cannot be used might select: everything where there is none, or
/// where it cannot be read itself.
[[nodiscard]] inline LabelMatcher widest_matcher(const std::optional<LabelSelector>& selector,
                                                 SelectedValues selected = SelectedValues::labels) {
  if (auto matcher = compile(selector, {}, selected); selector && matcher)
    return *std::move(matcher);
  return *compile(LabelSelector{});
}

}  // namespace SCHEDPOL_NAMESPACE::detail
