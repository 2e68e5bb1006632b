// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All types that `decode` reads and `encode` writes: a file for each system. Where the library is
/// compiled, so is all that reads and writes them.

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
