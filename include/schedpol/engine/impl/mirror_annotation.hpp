// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/version.hpp>

#include <string_view>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells that a pod only shows one that a node runs by itself.
inline constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
