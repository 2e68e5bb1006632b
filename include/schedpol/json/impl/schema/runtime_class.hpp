// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of RuntimeClass.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/runtime_class/policy.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<runtime_class::Overhead> =
    object(field("podFixed", &runtime_class::Overhead::pod_fixed));

template <>
inline constexpr auto schema<runtime_class::Scheduling> =
    object(field("nodeSelector", &runtime_class::Scheduling::node_selector),
           field("tolerations", &runtime_class::Scheduling::tolerations));

template <>
inline constexpr auto schema<runtime_class::RuntimeClass> =
    object(Traits{.kind = "RuntimeClass",
                  .api_version = "node.k8s.io/v1",
                  .unknown = Unknown::refuse,
                  .named = true},
           field("metadata", &runtime_class::RuntimeClass::metadata),
           field("handler", &runtime_class::RuntimeClass::handler),
           field("overhead", &runtime_class::RuntimeClass::overhead),
           field("scheduling", &runtime_class::RuntimeClass::scheduling));

using RuntimeClassValues =
    Types<runtime_class::Overhead, runtime_class::Scheduling, runtime_class::RuntimeClass>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
