// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations of PodSchedulingPolicy and ClusterPodSchedulingPolicy, with their inputs and results:
/// - podSchedulingPolicy.validate: policy (of either kind, told by `kind`); errors.
/// - podSchedulingPolicy.inject: pod, namespace (the object, for its labels), policies (of both
///   kinds, told by `kind`), options (`defaultScheduler`: `Specified`, which is the default, or
///   `Unspecified`, for a pod as an API server shows it); applied, skipped, changes, object, patch.

#include <schedpol/json/impl/operation.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void pod_scheduling_policy_inject(Input& input, ObjectWriter& result) {
  const Pod pod = input.require<Pod>("pod");
  auto in = input.read<Namespace>("namespace");
  const auto policies = input.read_policies<pod_scheduling_policy::PodSchedulingPolicy>("policies");
  const auto options = input.read<InjectionOptions>("options", EvaluateError::invalid_request);
  // The pod is in the namespace that is given where it names none, and the other way round.
  Pod placed = pod;
  if (in.metadata.name.empty()) in.metadata.name = namespace_of(pod.metadata);
  if (placed.metadata.namespace_.empty()) placed.metadata.namespace_ = in.metadata.name;
  auto injection =
      pod_scheduling_policy::inject(std::move(placed), in, policies, options.default_scheduler);
  injection.pod.metadata.namespace_ = pod.metadata.namespace_;
  input.fail(EvaluateError::invalid_object, injection.errors);
  if (!input.complete()) return;
  result.member("applied", injection.applied)
      .member("skipped", injection.skipped)
      .member("changes", injection.changes);
  write_object(result, input, "pod", pod, injection.pod);
}

inline constexpr NamedOperation pod_scheduling_policy_operations[] = {
    {"podSchedulingPolicy.inject", pod_scheduling_policy_inject},
    {"podSchedulingPolicy.validate", policy_validate<pod_scheduling_policy::PodSchedulingPolicy>},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
