// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All types that `decode` reads and `encode` writes: one file for each system. If the library is
/// compiled, so are their readers and writers.

#include <schedpol/json/impl/schema/engine.hpp>
#include <schedpol/json/impl/schema/metadata_policy.hpp>
#include <schedpol/json/impl/schema/pod_scheduling_policy.hpp>
#include <schedpol/json/impl/schema/rbac.hpp>
#include <schedpol/json/impl/schema/resource_policy.hpp>
#include <schedpol/json/impl/schema/runtime_class.hpp>
#include <schedpol/json/impl/schema/scheduling_policy.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

using Values =
    decltype(CoreValues{} + MetadataPolicyValues{} + PodSchedulingPolicyValues{} + RbacValues{} +
             ResourcePolicyValues{} + RuntimeClassValues{} + SchedulingPolicyValues{});
using Read = decltype(Values{} + EngineValues{});
using Written =
    decltype(Values{} + CoreResults{} + MetadataPolicyResults{} + PodSchedulingPolicyResults{});

}  // namespace SCHEDPOL_NAMESPACE::json::detail
