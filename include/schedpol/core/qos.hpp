// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The quality-of-service class of a pod, as the kubelet computes it from what cpu and memory its
/// containers and init containers ask for, each by itself; or the pod as a whole where `spec.resources`
/// names one of the resources that it may (pod-level resources: cpu, memory, hugepages):
/// 1. BestEffort: nothing is requested or limited, or zero;
/// 2. Guaranteed: of both the request is the limit, and not zero, of every container (or of the pod);
/// 3. Burstable: everything else.
///
/// Other resources and ephemeral containers do not count. Source: Kubernetes, `ComputePodQOS`.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The classes of the rules above.
enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] std::string_view to_string(QosClass qos) noexcept;

/// By those rules, of what the spec says.
[[nodiscard]] QosClass qos_class(const PodSpec& spec);

/// The same with what the API server writes into a pod: where a request is absent the limit is it, as
/// rule 2 of `resources.hpp` says, and a pod that requests something as a whole is limited to what all
/// its containers are limited to, or to its request if that is more. So a template has the class that its
/// pods will have.
[[nodiscard]] QosClass effective_qos_class(const PodSpec& spec);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/qos.ipp>
#endif
