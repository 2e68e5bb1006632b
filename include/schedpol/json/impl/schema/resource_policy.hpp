// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of ResourcePolicy.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<resource_policy::Unit> =
    object(field("name", &resource_policy::Unit::name),
           field("priority", &resource_policy::Unit::priority),
           field("maxCount", &resource_policy::Unit::max_count),
           field("maxResources", &resource_policy::Unit::max_resources),
           field("nodeSelector", &resource_policy::Unit::node_selector));

template <>
inline constexpr auto schema<resource_policy::MatchPolicy> =
    object(field("ignoreTerminatingPod", &resource_policy::MatchPolicy::ignore_terminating_pod));

template <>
inline constexpr auto schema<resource_policy::ResourcePolicySpec> =
    object(field("matchLabelKeys", &resource_policy::ResourcePolicySpec::match_label_keys),
           field("matchPolicy", &resource_policy::ResourcePolicySpec::match_policy),
           field("podSelector", &resource_policy::ResourcePolicySpec::pod_selector),
           field("strategy", &resource_policy::ResourcePolicySpec::strategy),
           field("units", &resource_policy::ResourcePolicySpec::units));

template <>
inline constexpr auto schema<resource_policy::ResourcePolicy> =
    object(Traits{.kind = "ResourcePolicy",
                  .api_version = resource_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &resource_policy::ResourcePolicy::metadata),
           field("spec", &resource_policy::ResourcePolicy::spec));

using ResourcePolicyValues =
    Types<resource_policy::Unit, resource_policy::MatchPolicy, resource_policy::ResourcePolicySpec,
          resource_policy::ResourcePolicy>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
