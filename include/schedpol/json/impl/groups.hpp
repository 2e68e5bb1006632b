// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API groups that objects are in, as their `apiVersion` says.

#include <string_view>

namespace schedpol::json::detail {

/// `apps` of `apps/v1`; the core group of `v1` is empty.
constexpr std::string_view group_of(std::string_view api_version) noexcept {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// Whether a cluster's own CRDs can be in the group: a domain, and none that Kubernetes keeps.
constexpr bool is_own_group(std::string_view group) noexcept {
  return group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io") &&
         !group.ends_with(".kubernetes.io");
}

}  // namespace schedpol::json::detail
