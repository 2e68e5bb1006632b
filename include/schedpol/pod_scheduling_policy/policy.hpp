// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as their authors write them, and what is
/// wrong with one. What they do is in `pod_scheduling_policy.hpp`. Source: the kupid README.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy {

/// The two kinds of policy, which differ in where they apply.
enum class PolicyKind { pod_scheduling_policy, cluster_pod_scheduling_policy };

[[nodiscard]] constexpr std::string_view to_string(PolicyKind kind) noexcept {
  return kind == PolicyKind::pod_scheduling_policy ? "PodSchedulingPolicy"
                                                   : "ClusterPodSchedulingPolicy";
}

/// What is selected, and what is injected. An empty string, list or map injects nothing.
struct PodSchedulingPolicySpec {
  std::optional<LabelSelector> namespace_selector{};  ///< of the cluster kind only
  std::optional<LabelSelector> pod_selector{};
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const PodSchedulingPolicySpec&, const PodSchedulingPolicySpec&) = default;
};

struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

/// What is wrong with a policy: its name, its selectors, and criteria that the API server would
/// refuse in the pods they are injected into; a namespaceSelector in the namespaced kind.
[[nodiscard]] inline std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const PodSchedulingPolicySpec& spec = policy.spec;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  errors.add_compiled(schedpol::compile(spec.pod_selector, "spec.podSelector"));
  errors.add_compiled(schedpol::compile(spec.namespace_selector, "spec.namespaceSelector"));
  if (policy.kind == PolicyKind::pod_scheduling_policy && spec.namespace_selector) {
    errors.add(ErrorType::forbidden, "spec.namespaceSelector", "",
               "only the cluster kind selects namespaces");
  }
  schedpol::detail::validate_labels(errors, "spec.nodeSelector", spec.node_selector);
  schedpol::detail::validate_tolerations(errors, "spec.tolerations", spec.tolerations);
  if (spec.affinity) schedpol::detail::validate_affinity(errors, "spec.affinity", *spec.affinity);
  return std::move(errors).take();
}

}  // namespace schedpol::pod_scheduling_policy
