// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

SCHEDPOL_INLINE bool exempts_kind(const Options& options, std::string_view api_group,
                                  std::string_view kind) noexcept {
  return schedpol::detail::any_of(options.exempt_kinds, [&](std::string_view listed) {
    const std::size_t dot = listed.find('.');
    const bool has_group = dot != std::string_view::npos;
    return listed.substr(0, dot) == kind &&
           (has_group ? listed.substr(dot + 1) : std::string_view()) == api_group;
  });
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
