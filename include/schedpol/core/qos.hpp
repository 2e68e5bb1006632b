// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The quality-of-service class of a pod, as the kubelet computes it. The cpu and memory of each
/// container and init container count. If `spec.resources` names a pod-level resource (cpu, memory,
/// hugepages), the cpu and memory of the pod as a whole count instead.
/// 1. BestEffort: all requests and limits are absent or zero.
/// 2. Guaranteed: for cpu and for memory, the request equals the limit and is not zero.
/// 3. Burstable: everything else.
///
/// Other resources and ephemeral containers do not count. Source: Kubernetes, `ComputePodQOS`.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The classes of the rules above.
enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] std::string_view to_string(QosClass qos) noexcept;

/// The class by these rules, of the spec as it stands.
[[nodiscard]] QosClass qos_class(const PodSpec& spec);

/// The class with the values that the API server writes into a pod, so a template has the class that its
/// pods will have. An absent request is the limit (rule 2 of `resources.hpp`). A pod with pod-level
/// resources whose containers all have a limit gets their sum as limit, or its request if that is more.
[[nodiscard]] QosClass effective_qos_class(const PodSpec& spec);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/qos.ipp>
#endif
