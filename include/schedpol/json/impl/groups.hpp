// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API groups that objects are in, as their `apiVersion` says.

#include <schedpol/core/workload.hpp>

#include <string>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether a cluster's own CRDs can be in the group: a domain, and none that Kubernetes keeps.
constexpr bool is_own_group(std::string_view group) noexcept {
  return group.find('.') != std::string_view::npos && !group.ends_with(".k8s.io") &&
         !group.ends_with(".kubernetes.io");
}

/// What is wrong with an `apiVersion`, which is empty where it is not said; empty where its group is
/// that of `wanted`, or one of its own where that may be.
inline std::string group_problem(std::string_view api_version, std::string_view wanted,
                                 bool own_group) {
  const std::string_view group = api_group(api_version);
  if (api_version.empty() || group == api_group(wanted) || (own_group && is_own_group(group)))
    return {};
  const std::string problem = "must be " + std::string(wanted);
  return own_group ? problem + ", or of a group of its own CRD, which is a domain" : problem;
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
