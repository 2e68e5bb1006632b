// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as their authors write them: scheduling
/// criteria, and selectors of the pods and pod templates that get them. `validate.hpp` says what can
/// be wrong with a policy, `admit.hpp` what it does. Source: the kupid README.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = "kupid.gardener.cloud/v1alpha1";

/// The two kinds of policy, namespaced and cluster-scoped.
enum class PolicyKind { pod_scheduling_policy, cluster_pod_scheduling_policy };

[[nodiscard]] constexpr std::string_view to_string(PolicyKind kind) noexcept {
  return kind == PolicyKind::pod_scheduling_policy ? "PodSchedulingPolicy"
                                                   : "ClusterPodSchedulingPolicy";
}

/// The pods to select, and the criteria to inject. An empty string, list or map injects nothing.
struct PodSchedulingPolicySpec {
  std::optional<LabelSelector> namespace_selector{};  ///< only in the cluster kind
  std::optional<LabelSelector> pod_selector{};
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const PodSchedulingPolicySpec&, const PodSchedulingPolicySpec&) = default;
};

/// A policy of either kind. A policy of the cluster kind has no namespace.
struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
