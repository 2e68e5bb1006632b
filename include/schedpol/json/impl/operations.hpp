// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All operations of `evaluate`.

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/json/impl/operations/builtin.hpp>
#include <schedpol/json/impl/operations/core.hpp>
#include <schedpol/json/impl/operations/decide.hpp>
#include <schedpol/json/impl/operations/engine.hpp>
#include <schedpol/json/impl/operations/metadata_policy.hpp>
#include <schedpol/json/impl/operations/pod_scheduling_policy.hpp>
#include <schedpol/json/impl/operations/rbac.hpp>
#include <schedpol/json/impl/operations/resource_policy.hpp>
#include <schedpol/json/impl/operations/runtime_class.hpp>
#include <schedpol/json/impl/operations/scheduling_policy.hpp>

#include <span>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline constexpr std::span<const NamedOperation> operations[] = {
    builtin_operations,
    core_operations,
    decide_operations,
    engine_operations,
    metadata_policy_operations,
    pod_scheduling_policy_operations,
    rbac_operations,
    resource_policy_operations,
    runtime_class_operations,
    scheduling_policy_operations,
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
