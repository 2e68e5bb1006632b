// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The quality-of-service class of a pod, as the kubelet computes it from what cpu and memory its
/// containers and init containers ask for, or the pod as a whole where `spec.resources` is there
/// (pod-level resources), even with nothing in it:
/// 1. BestEffort: nothing more than zero is requested or limited;
/// 2. Guaranteed: every container limits both (or the pod does), and the sums of the requests are
///    those of the limits;
/// 3. Burstable: everything else.
///
/// Other resources, ephemeral containers and quantities that are not positive do not count.
/// Source: Kubernetes, `ComputePodQOS`.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The classes of the rules above.
enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] std::string_view to_string(QosClass qos) noexcept;

/// By those rules, of what the spec says.
[[nodiscard]] QosClass qos_class(const PodSpec& spec);

/// The same with the requests that the API server writes into a pod: where one is absent the limit
/// is it, as rule 2 of `resources.hpp` says. So a template has the class that its pods will have.
[[nodiscard]] QosClass effective_qos_class(const PodSpec& spec);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/qos.ipp>
#endif
