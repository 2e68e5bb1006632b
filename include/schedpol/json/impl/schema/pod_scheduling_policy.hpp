// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of PodSchedulingPolicy and ClusterPodSchedulingPolicy, which their `kind` tells apart.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<pod_scheduling_policy::PolicyKind> =
    vocabulary(Presence::needed, pod_scheduling_policy::PolicyKind::pod_scheduling_policy,
               pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy);

template <>
inline constexpr auto schema<pod_scheduling_policy::PodSchedulingPolicySpec> = object(
    field("namespaceSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::namespace_selector),
    field("podSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::pod_selector),
    field("nodeName", &pod_scheduling_policy::PodSchedulingPolicySpec::node_name),
    field("schedulerName", &pod_scheduling_policy::PodSchedulingPolicySpec::scheduler_name),
    field("nodeSelector", &pod_scheduling_policy::PodSchedulingPolicySpec::node_selector),
    field("tolerations", &pod_scheduling_policy::PodSchedulingPolicySpec::tolerations),
    field("affinity", &pod_scheduling_policy::PodSchedulingPolicySpec::affinity));

template <>
inline constexpr auto schema<pod_scheduling_policy::PodSchedulingPolicy> =
    object(Traits{.api_version = pod_scheduling_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .needed = "kind"},
           field("kind", &pod_scheduling_policy::PodSchedulingPolicy::kind),
           field("metadata", &pod_scheduling_policy::PodSchedulingPolicy::metadata),
           field("spec", &pod_scheduling_policy::PodSchedulingPolicy::spec));

inline void write(Writer& out, const pod_scheduling_policy::Skipped& skipped) {
  ObjectWriter(out)
      .member("policy", skipped.policy)
      .member("field", skipped.field)
      .member("reason", skipped.reason);
}

/// How a pod that is injected is taken.
struct InjectionOptions {
  DefaultScheduler default_scheduler = DefaultScheduler::specified;
};

template <>
inline constexpr auto schema<InjectionOptions> =
    object(Traits{.unknown = Unknown::refuse},
           field("defaultScheduler", &InjectionOptions::default_scheduler));

using PodSchedulingPolicyValues = Types<pod_scheduling_policy::PodSchedulingPolicySpec,
                                        pod_scheduling_policy::PodSchedulingPolicy>;
using PodSchedulingPolicyResults =
    Types<pod_scheduling_policy::Skipped, std::vector<pod_scheduling_policy::Skipped>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
