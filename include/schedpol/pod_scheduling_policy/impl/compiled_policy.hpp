// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <span>
#include <vector>

namespace schedpol::pod_scheduling_policy {

namespace detail {

struct CompiledPolicy {
  PodSchedulingPolicy policy{};
  LabelMatcher pods{};
  LabelMatcher namespaces{};

  [[nodiscard]] bool is_of_cluster() const noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }

  /// Whether it applies to a pod with these labels in that namespace.
  [[nodiscard]] bool applies(const Labels& labels, const ObjectMeta& in) const noexcept {
    const bool here =
        is_of_cluster() ? namespaces.matches(in.labels) : policy.metadata.namespace_ == in.name;
    return here && pods.matches(labels);
  }

  /// Whether the labels of a namespace say if it applies there.
  [[nodiscard]] bool looks_at_namespaces() const noexcept {
    const auto& selector = policy.spec.namespace_selector;
    return is_of_cluster() && selector && *selector != LabelSelector{};
  }
};

/// What came of compiling policies. Of use only where there are no errors.
struct Compilation {
  std::vector<CompiledPolicy> policies{};         ///< in the order in which they apply
  std::vector<std::vector<FieldError>> errors{};  ///< of each policy, in the order of the list
  std::vector<FieldError> namesakes{};            ///< errors of the list
};

Compilation compile_each(std::span<const PodSchedulingPolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they apply
};

}  // namespace schedpol::pod_scheduling_policy
