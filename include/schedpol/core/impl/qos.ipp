// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/container_requests.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline Quantity amount_of(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

/// The class of one container, or of the pod as a whole; `requests_of` says where the request of a
/// resource stands.
template <class RequestsOf>
QosClass qos_class(const ResourceRequirements& of, RequestsOf requests_of) {
  const auto of_resource = [&](std::string_view name) {
    const Quantity limit = amount_of(of.limits, name);
    if (amount_of(requests_of(of, name), name) != limit) return QosClass::burstable;
    return limit.is_zero() ? QosClass::best_effort : QosClass::guaranteed;
  };
  const QosClass cpu = of_resource("cpu");
  return cpu == of_resource("memory") ? cpu : QosClass::burstable;
}

/// Of a pod, where `pod` is what it says as a whole.
template <class RequestsOf>
QosClass qos_class(const PodSpec& spec, const std::optional<ResourceRequirements>& pod,
                   RequestsOf requests_of) {
  const auto counts = [](const auto& one) { return is_pod_level(one.first); };
  if (pod && (any_of(pod->requests, counts) || any_of(pod->limits, counts)))
    return qos_class(*pod, requests_of);
  std::optional<QosClass> common;
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const Container& container : *containers) {
      const QosClass one = qos_class(container.resources, requests_of);
      if (common.value_or(one) != one) return QosClass::burstable;
      common = one;
    }
  }
  return common.value_or(QosClass::best_effort);
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(QosClass qos) noexcept {
  switch (qos) {
    case QosClass::best_effort: return "BestEffort";
    case QosClass::burstable: return "Burstable";
    case QosClass::guaranteed: return "Guaranteed";
  }
  return "";
}

SCHEDPOL_INLINE QosClass qos_class(const PodSpec& spec) {
  return detail::qos_class(spec, spec.resources,
                           [](const ResourceRequirements& of,
                              std::string_view) -> const ResourceList& { return of.requests; });
}

SCHEDPOL_INLINE QosClass effective_qos_class(const PodSpec& spec) {
  return detail::qos_class(
      spec, detail::defaulted_pod_level(spec),
      [](const ResourceRequirements& of, std::string_view name) -> const ResourceList& {
        return of.requests.contains(name) ? of.requests : of.limits;
      });
}

}  // namespace SCHEDPOL_NAMESPACE
