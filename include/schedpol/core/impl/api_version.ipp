// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/api_version.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool is_custom_group(std::string_view api_group) noexcept {
  if (api_group.find('.') == std::string_view::npos) return false;
  for (const std::string_view kept : {"k8s.io", "kubernetes.io"}) {
    if (!api_group.ends_with(kept)) continue;
    const std::string_view below = api_group.substr(0, api_group.size() - kept.size());
    if (below.empty() || below.ends_with('.')) return false;
  }
  return true;
}

SCHEDPOL_INLINE bool is_in_group(std::string_view api_version, std::string_view group) noexcept {
  const std::string_view usual = api_group(api_version);
  return group == usual ||
         (usual == own_api_group && (group == proposal_api_group || is_custom_group(group)));
}

}  // namespace SCHEDPOL_NAMESPACE
